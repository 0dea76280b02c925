// Command pressroom is a newsroom in one binary. It hands everything to
// internal/cli and exits with the status that comes back.
package main

import (
	"os"

	"pressroom/internal/cli"
)

func main() {
	os.Exit(cli.Main())
}
