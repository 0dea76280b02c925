package ops

import (
	"context"
	"fmt"
	"strings"

	"pressroom/model"
)

// Finding is one thing that is not as it must be.
type Finding struct {
	// Check is the name of the check that found it: "tables", "blog".
	Check string `json:"check"`
	// Where is the place: a table and key, a bucket and key, a file.
	Where string `json:"where"`
	// What is wrong, in words.
	What string `json:"what"`
	// Fix says what to do about it, if that is known.
	Fix string `json:"fix,omitempty"`
	// Foreign tells that nothing is wrong: another program wrote it, and this one has
	// not added to it yet.
	Foreign bool `json:"foreign,omitempty"`
}

// foreignFix is what takes over items of other programs.
const foreignFix = "pressroom serve takes it over, or pressroom schema migrate --yes"

func (f Finding) String() string {
	text := f.Check
	if f.Where != "" {
		text += " " + f.Where
	}
	text += ": " + f.What
	if f.Fix != "" {
		text += " (" + f.Fix + ")"
	}
	return text
}

// Checker verifies what must always hold of some data. It reports every finding
// and goes on; an error is a check that could not be made to its end. It reads
// and never writes, and may run beside everything else: what changes meanwhile
// is no finding.
type Checker interface {
	Check(ctx context.Context, report func(Finding)) error
}

// CheckFunc is a function as a Checker.
type CheckFunc func(ctx context.Context, report func(Finding)) error

// Check calls the function.
func (f CheckFunc) Check(ctx context.Context, report func(Finding)) error { return f(ctx, report) }

// NamedChecker is a Checker and the name under which its findings appear.
type NamedChecker struct {
	Name string
	Checker
}

// DeskChecker is the check that a desk makes of its own data, under its name.
// Desks know nothing of findings: they say where something is wrong, and what.
func DeskChecker(name string, check func(ctx context.Context, report func(where, what string)) error) NamedChecker {
	return NamedChecker{Name: name, Checker: CheckFunc(func(ctx context.Context, report func(Finding)) error {
		return check(ctx, func(where, what string) {
			f := Finding{Where: where, What: what}
			if f.Foreign = strings.HasSuffix(what, model.Untaken); f.Foreign {
				f.Fix = foreignFix
			}
			report(f)
		})
	})}
}

// Check makes all checks, one after the other, and reports their findings under
// their names. A check that fails or panics does not keep the others from being
// made: that it could not be made is a finding.
func Check(ctx context.Context, report func(Finding), checkers ...NamedChecker) error {
	for _, c := range checkers {
		err := guarded(func() error {
			return c.Check(ctx, func(f Finding) {
				f.Check = c.Name
				report(f)
			})
		})
		if ctx.Err() != nil {
			return ctx.Err()
		}
		if err != nil {
			report(Finding{Check: c.Name, What: "the check could not be made to its end: " + err.Error()})
		}
	}
	return nil
}

// guarded turns a panic into an error.
func guarded(run func() error) (err error) {
	defer func() {
		if p := recover(); p != nil {
			err = fmt.Errorf("panic: %v", p)
		}
	}()
	return run()
}
