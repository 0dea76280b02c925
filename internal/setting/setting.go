// Package setting finds what a program is told: in its flags, its environment and a
// settings file. The programs of this module share it, so that one setting has one
// name, one variable and one wording everywhere.
//
// It promises that flags win over the environment, the environment over the file and
// the file over the default; that a mistake is told with the place where it was made;
// and that secrets do not show themselves.
//
// A setting is a field of a struct, described by its tags, which are those of kong:
// the commands of pressroom are parsed by kong, and the small program by [Flags], which
// knows what that one needs of it. Tags beyond kong's:
//
//	setting:"-"   a flag only: it says how one command prints, or confirms
//	seed:"NAME"   a second variable, named by the documents that define the data
//
// A setting of type Secret is masked when shown, and its variable has a _FILE
// variant.
//
// Start with [Sources], then [Flags].
package setting

import (
	"context"
	"fmt"
	"io"
	"net"
	"os"
	"os/signal"
	"strconv"
	"syscall"
)

// Process is what a run of a program gets from the outside.
type Process struct {
	Args    []string // without the program's name
	Environ []string // as os.Environ gives it
	Stdout  io.Writer
	Stderr  io.Writer
}

// Main runs a program with the process's own arguments, environment, streams and
// signals, and returns the exit status. The first SIGINT or SIGTERM ends the context;
// the second ends the process at once.
func Main(run func(context.Context, Process) int) int {
	ctx, restore := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer restore()
	// With the handler gone, the next signal has its default effect.
	context.AfterFunc(ctx, restore)
	return run(ctx, Process{os.Args[1:], os.Environ(), os.Stdout, os.Stderr})
}

// Common belong to every command that reads settings.
type Common struct {
	ConfigFile string `name:"config" placeholder:"FILE" help:"Read settings from this TOML file; ./pressroom.toml is read if it is there."`
	LogLevel   Level  `default:"info" placeholder:"LEVEL" help:"Log this and worse: debug, info, warn or error."`
	LogFormat  Format `default:"text" placeholder:"FORMAT" help:"Log as text or json."`
}

// Address is a host and port to listen on; an empty host is every interface. Its text
// is checked when it is read, so that a mistake is reported with the place where it
// was made.
type Address string

// UnmarshalText accepts host:port with a numeric port.
func (a *Address) UnmarshalText(text []byte) error {
	_, port, err := net.SplitHostPort(string(text))
	if err != nil {
		return fmt.Errorf("%q is not an address such as 127.0.0.1:8080", text)
	}
	if _, err := strconv.ParseUint(port, 10, 16); err != nil {
		return fmt.Errorf("%q has no port between 0 and 65535", text)
	}
	*a = Address(text)
	return nil
}
