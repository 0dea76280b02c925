// Package deploy brings a schema to a store, the embedded one or AWS: it finds
// out what is missing, shows the steps, and takes them. It also writes the same as a
// CloudFormation template, and moves items to the present schema version.
//
// It promises to add only: nothing is ever dropped or replaced, but for an index if it
// is told so; what it does not know is left alone, and a second run finds nothing to do. What cannot be
// changed in place is reported before the first step.
//
// Start with [Prepare]; table.go and bucket.go find the steps.
package deploy

import (
	"context"
	"fmt"
	"io"
	"strings"
	"time"

	"github.com/aws/aws-sdk-go-v2/service/s3"

	"pressroom/dynamo"
	"pressroom/model"
)

// Store is where a schema is brought.
type Store struct {
	Tables  dynamo.API
	Objects *s3.Client // may be nil if no schema has buckets
	// ReplaceIndexes removes an index whose keys or attributes are others, and makes it
	// anew. Views read the table itself meanwhile, which takes long if it is large.
	ReplaceIndexes bool
}

// Step is one change.
type Step struct {
	What string
	do   func(context.Context) error
}

// Plan is what is to be done, in order.
type Plan struct {
	Steps []Step
	// Problems are differences that adding cannot mend. A plan with problems
	// cannot be applied.
	Problems []string
	// Notes are what the store cannot do, such as backups on an emulator.
	Notes []string
}

// Prepare compares the schemas with the store. It changes nothing.
func Prepare(ctx context.Context, st Store, schemas ...model.Schema) (*Plan, error) {
	p := &planner{st: st, plan: &Plan{}}
	for _, s := range schemas {
		if err := s.Validate(); err != nil {
			return nil, fmt.Errorf("schema %s: %w", s.Name, err)
		}
		for i := range s.Tables {
			if err := p.table(ctx, &s.Tables[i]); err != nil {
				return nil, fmt.Errorf("table %s: %w", s.Tables[i].Name, err)
			}
		}
		for i := range s.Buckets {
			if err := p.bucket(ctx, &s.Buckets[i]); err != nil {
				return nil, fmt.Errorf("bucket %s: %w", s.Buckets[i].Name, err)
			}
		}
	}
	return p.plan, nil
}

// Apply prepares a plan and takes its steps; what it does goes to progress, a
// line a step. Nil discards that.
func Apply(ctx context.Context, st Store, progress io.Writer, schemas ...model.Schema) error {
	plan, err := Prepare(ctx, st, schemas...)
	if err != nil {
		return err
	}
	return plan.Apply(ctx, progress)
}

// Apply takes the steps, and stops at the first that fails. What was done stays;
// another plan goes on from there.
func (p *Plan) Apply(ctx context.Context, progress io.Writer) error {
	if len(p.Problems) > 0 {
		return fmt.Errorf("the store differs in ways that adding cannot mend: %s", strings.Join(p.Problems, "; "))
	}
	if progress == nil {
		progress = io.Discard
	}
	for i, step := range p.Steps {
		if _, err := fmt.Fprintf(progress, "%d/%d %s\n", i+1, len(p.Steps), step.What); err != nil {
			return err
		}
		if err := step.do(ctx); err != nil {
			return fmt.Errorf("%s: %w", step.What, err)
		}
	}
	return nil
}

// Print writes the plan for a person to agree to.
func (p *Plan) Print(w io.Writer) error {
	var b strings.Builder
	for _, problem := range p.Problems {
		fmt.Fprintf(&b, "! %s\n", problem)
	}
	for _, step := range p.Steps {
		fmt.Fprintf(&b, "+ %s\n", step.What)
	}
	for _, note := range p.Notes {
		fmt.Fprintf(&b, "  %s\n", note)
	}
	if b.Len() == 0 {
		b.WriteString("nothing to do\n")
	}
	_, err := io.WriteString(w, b.String())
	return err
}

type planner struct {
	st   Store
	plan *Plan
}

func (p *planner) step(do func(context.Context) error, format string, args ...any) {
	p.plan.Steps = append(p.plan.Steps, Step{fmt.Sprintf(format, args...), do})
}

func (p *planner) problem(format string, args ...any) {
	p.plan.Problems = append(p.plan.Problems, fmt.Sprintf(format, args...))
}

// optional takes the answer to a request that not every service knows; what it
// does not know becomes a note.
func (p *planner) optional(what string, err error) (known bool, rest error) {
	if isCode(err, "UnknownOperationException", "NotImplemented") {
		p.plan.Notes = append(p.plan.Notes, what+": the store does not know it")
		return false, nil
	}
	return err == nil, err
}

// pollEvery is the time between two looks at something that is being made.
const pollEvery = 200 * time.Millisecond

// poll looks until ready, or the context ends.
func poll(ctx context.Context, ready func() (bool, error)) error {
	timer := time.NewTicker(pollEvery)
	defer timer.Stop()
	for {
		ok, err := ready()
		if ok || err != nil {
			return err
		}
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-timer.C:
		}
	}
}
