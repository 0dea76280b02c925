package engine

import (
	"context"
	"encoding/json"
	"strconv"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
)

// PolicyNotFound is what the operations on resource policies raise where there
// is none, or another than was expected.
const PolicyNotFound = "PolicyNotFoundException"

const (
	maxPolicy = 20 << 10
	// noPolicy is the revision of a resource without a policy.
	noPolicy = "NO_POLICY"
)

// policyDef is a policy of a table or stream. It is kept and told; there is one
// account, which may do everything.
type policyDef struct{ Policy, Revision string }

// PutResourcePolicy gives a table or stream a policy, in the place of the one
// that it has.
func (e *Engine) PutResourcePolicy(ctx context.Context, in *dynamodb.PutResourcePolicyInput) (*dynamodb.PutResourcePolicyOutput, error) {
	if err := e.enter(ctx); err != nil {
		return nil, err
	}
	defer e.store.Leave()
	var c checks
	c.policyResource(in.ResourceArn)
	c.present("policy", in.Policy != nil)
	if err := c.err(); err != nil {
		return nil, err
	}
	if err := checkPolicy(*in.Policy); err != nil {
		return nil, err
	}
	out := new(dynamodb.PutResourcePolicyOutput)
	err := e.alterPolicy(*in.ResourceArn, in.ExpectedRevisionId, func(p *policyDef) {
		if p.Policy != *in.Policy { // the same again is no change
			*p = policyDef{*in.Policy, strconv.FormatInt(e.now().UnixMilli(), 10)}
		}
		out.RevisionId = aws.String(p.Revision)
	})
	if err != nil {
		return nil, err
	}
	return out, nil
}

// GetResourcePolicy returns the policy of a table or stream.
func (e *Engine) GetResourcePolicy(ctx context.Context, in *dynamodb.GetResourcePolicyInput) (*dynamodb.GetResourcePolicyOutput, error) {
	if err := e.enter(ctx); err != nil {
		return nil, err
	}
	defer e.store.Leave()
	var c checks
	c.policyResource(in.ResourceArn)
	if err := c.err(); err != nil {
		return nil, err
	}
	t, a, err := e.policyTable(*in.ResourceArn)
	if err != nil {
		return nil, err
	}
	p, ok := t.shape.Load().def.Policies[a.id]
	if !ok {
		return nil, errNoPolicy(*in.ResourceArn)
	}
	return &dynamodb.GetResourcePolicyOutput{Policy: &p.Policy, RevisionId: &p.Revision}, nil
}

// DeleteResourcePolicy takes the policy from a table or stream. That there is
// none matters only if a revision is expected.
func (e *Engine) DeleteResourcePolicy(ctx context.Context, in *dynamodb.DeleteResourcePolicyInput) (*dynamodb.DeleteResourcePolicyOutput, error) {
	if err := e.enter(ctx); err != nil {
		return nil, err
	}
	defer e.store.Leave()
	var c checks
	c.policyResource(in.ResourceArn)
	if err := c.err(); err != nil {
		return nil, err
	}
	out := new(dynamodb.DeleteResourcePolicyOutput)
	err := e.alterPolicy(*in.ResourceArn, in.ExpectedRevisionId, func(p *policyDef) {
		if p.Revision != "" {
			out.RevisionId = aws.String(p.Revision)
		}
		*p = policyDef{}
	})
	if err != nil {
		return nil, err
	}
	return out, nil
}

func (c *checks) policyResource(arn *string) {
	c.present("resourceArn", arn != nil)
	if arn != nil {
		c.length("resourceArn", *arn, 1, 1283)
	}
}

func checkPolicy(text string) error {
	var doc struct {
		Statement json.RawMessage
	}
	switch err := json.Unmarshal([]byte(text), &doc); {
	case len(text) > maxPolicy:
		return invalid("Resource-based policy size exceeds the maximum limit of 20 KB.")
	case err != nil || doc.Statement == nil:
		return invalid("Invalid policy document")
	}
	return nil
}

// policyTable finds what a policy is of: a table, or one of its streams.
func (e *Engine) policyTable(resource string) (*table, arn, error) {
	a, err := taggableARN(resource)
	if err != nil {
		return nil, a, err
	}
	t := e.catalog.get(a.table)
	if t == nil || !e.owns(a) || a.region != e.opts.Region || t.shape.Load().def.tags(a) == nil {
		return nil, a, newError(NotFound, "Requested resource not found: ResourceArn: %s not found", resource)
	}
	return t, a, nil
}

// alterPolicy changes the policy of a resource, which is empty if there is none.
func (e *Engine) alterPolicy(resource string, expected *string, change func(*policyDef)) error {
	t, a, err := e.policyTable(resource)
	if err != nil {
		return err
	}
	return e.alter(t, func(def *tableDef) error {
		p, ok := def.Policies[a.id]
		if expected != nil && *expected != p.Revision && (ok || *expected != noPolicy) {
			return errNoPolicy(resource)
		}
		change(&p)
		if def.Policies == nil {
			def.Policies = map[string]policyDef{}
		}
		def.Policies[a.id] = p
		if p.Policy == "" {
			delete(def.Policies, a.id)
		}
		return nil
	}, nil)
}

func errNoPolicy(resource string) error {
	return newError(PolicyNotFound, "Resource-based policy not found for the provided ResourceArn: Requested policy update or deletion or read failed for ResourceArn: %s", resource)
}
