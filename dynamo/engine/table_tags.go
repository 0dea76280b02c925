package engine

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
)

// AccessDenied is how the service answers for what it will not tell apart
// from something that is not there.
const AccessDenied = "AccessDeniedException"

const maxTags = 50

// TagResource adds tags to a table, in the place of those with their keys.
func (e *Engine) TagResource(ctx context.Context, in *dynamodb.TagResourceInput) (*dynamodb.TagResourceOutput, error) {
	if err := e.enter(ctx); err != nil {
		return nil, err
	}
	defer e.store.Leave()
	var c checks
	c.present("resourceArn", in.ResourceArn != nil)
	c.present("tags", in.Tags != nil)
	c.tags(in.Tags)
	if err := c.err(); err != nil {
		return nil, err
	}
	a, err := taggableARN(*in.ResourceArn)
	if err != nil {
		return nil, err
	}
	if len(in.Tags) == 0 {
		return nil, invalid("Atleast one Tag needs to be provided as Input.")
	}
	if err := checkTags(in.Tags, nil); err != nil {
		return nil, err
	}
	err = e.alterTags(a, *in.ResourceArn, func(tags *[]types.Tag) error {
		if err := checkTags(in.Tags, *tags); err != nil {
			return err
		}
		*tags = mergeTags(*tags, in.Tags)
		return nil
	})
	if err != nil {
		return nil, err
	}
	return &dynamodb.TagResourceOutput{}, nil
}

// UntagResource removes tags from a table; those it lacks do not matter.
func (e *Engine) UntagResource(ctx context.Context, in *dynamodb.UntagResourceInput) (*dynamodb.UntagResourceOutput, error) {
	if err := e.enter(ctx); err != nil {
		return nil, err
	}
	defer e.store.Leave()
	var c checks
	c.present("resourceArn", in.ResourceArn != nil)
	c.present("tagKeys", in.TagKeys != nil)
	for i, key := range in.TagKeys {
		c.tagText(fmt.Sprintf("tagKeys.%d.member", i+1), &key, 1, 128)
	}
	if err := c.err(); err != nil {
		return nil, err
	}
	a, err := taggableARN(*in.ResourceArn)
	if err != nil {
		return nil, err
	}
	if len(in.TagKeys) == 0 {
		return nil, invalid("Atleast one Tag Key needs to be provided as Input.")
	}
	err = e.alterTags(a, *in.ResourceArn, func(tags *[]types.Tag) error {
		*tags = slices.DeleteFunc(*tags, func(tag types.Tag) bool {
			return slices.Contains(in.TagKeys, aws.ToString(tag.Key))
		})
		return nil
	})
	if err != nil {
		return nil, err
	}
	return &dynamodb.UntagResourceOutput{}, nil
}

// ListTagsOfResource returns the tags of a table, all on one page.
func (e *Engine) ListTagsOfResource(ctx context.Context, in *dynamodb.ListTagsOfResourceInput) (*dynamodb.ListTagsOfResourceOutput, error) {
	if err := e.enter(ctx); err != nil {
		return nil, err
	}
	defer e.store.Leave()
	var c checks
	c.present("resourceArn", in.ResourceArn != nil)
	if err := c.err(); err != nil {
		return nil, err
	}
	a, err := taggableARN(*in.ResourceArn)
	if err != nil {
		return nil, err
	}
	if in.NextToken != nil {
		return nil, invalid("Invalid NextToken provided as input %s", *in.NextToken)
	}
	t := e.catalog.get(a.table)
	switch {
	case !e.owns(a) || t == nil && a.account == nobody:
		return nil, newError(AccessDenied, "User: arn:aws:iam::%s:root is not authorized to perform: dynamodb:ListTagsOfResource on resource: %s", e.opts.Account, *in.ResourceArn)
	case t == nil || a.region != e.opts.Region:
		return nil, taggedNotFound(*in.ResourceArn)
	}
	tags := t.shape.Load().def.tags(a)
	if tags == nil {
		return nil, taggedNotFound(*in.ResourceArn)
	}
	return &dynamodb.ListTagsOfResourceOutput{Tags: append([]types.Tag{}, *tags...)}, nil
}

// tags returns those of the table or of its stream; nil if it has no such stream.
func (d *tableDef) tags(a arn) *[]types.Tag {
	if a.kind == "" {
		return &d.Tags
	}
	for i := range d.Streams {
		if d.Streams[i].Label == a.id {
			return &d.Streams[i].Tags
		}
	}
	return nil
}

// alterTags changes the tags of a table or stream.
func (e *Engine) alterTags(a arn, resource string, change func(*[]types.Tag) error) error {
	t := e.catalog.get(a.table)
	if t == nil || !e.owns(a) || a.region != e.opts.Region {
		return taggedNotFound(resource)
	}
	return e.alter(t, func(def *tableDef) error {
		tags := def.tags(a)
		if tags == nil {
			return taggedNotFound(resource)
		}
		return change(tags)
	}, nil)
}

func taggedNotFound(resource string) error {
	return newError(NotFound, "Requested resource not found: ResourceArn: %s not found", resource)
}

// taggableARN refuses what is not the ARN of a table or stream.
func taggableARN(s string) (arn, error) {
	if !strings.HasPrefix(s, "arn:") {
		return arn{}, invalidParameter("ARNs must start with 'arn:': %s", s)
	}
	a, ok := parseARN(s)
	switch {
	case !ok:
		return arn{}, invalidParameter("Provided Arn is not a DynamoDB resource arn: %s", s)
	case a.kind != "" && a.kind != "stream":
		return arn{}, invalidParameter("Invalid resource arn provided, only table or stream is accepted. Provided resource arn: %s", s)
	}
	return a, nil
}

func (c *checks) tags(tags []types.Tag) {
	for i, tag := range tags {
		at := fmt.Sprintf("tags.%d.member", i+1)
		c.tagText(at+".key", tag.Key, 1, 128)
		c.tagText(at+".value", tag.Value, 0, 256)
	}
}

// tagText bounds a tag's key or value, in characters.
func (c *checks) tagText(at string, text *string, least, most int) {
	if text == nil {
		c.present(at, false)
		return
	}
	n := utf8.RuneCountInString(*text)
	if n < least {
		c.add(quote(*text), at, fmt.Sprintf("Member must have length greater than or equal to %d", least))
	}
	if n > most {
		c.add(quote(*text), at, fmt.Sprintf("Member must have length less than or equal to %d", most))
	}
}

// checkTags refuses tags that a resource with those tags cannot get.
func checkTags(tags, have []types.Tag) error {
	keys := make([]string, len(tags))
	for i, tag := range tags {
		keys[i] = *tag.Key
		switch {
		case !tagCharacters(*tag.Key):
			return invalid("The Tag Key provided is invalid, Key: %s", *tag.Key)
		case strings.HasPrefix(strings.ToLower(*tag.Key), "aws:"):
			return invalid("Tag Key cannot be prefixed with aws:, Key: %s", *tag.Key)
		case !tagCharacters(*tag.Value):
			return invalid("The Tag Value provided is invalid, Value: %s", *tag.Value)
		}
	}
	if key, ok := duplicate(keys); ok {
		return invalid("Duplicate Tag Keys provided as input: Duplicate Tag Key found %s", key)
	}
	if len(mergeTags(have, tags)) > maxTags {
		return invalid("Number of Tags exceed the current limit for the provided ResourceArn")
	}
	return nil
}

func tagCharacters(s string) bool {
	return strings.IndexFunc(s, func(r rune) bool {
		return !unicode.IsLetter(r) && !unicode.IsNumber(r) && !unicode.IsSpace(r) && !strings.ContainsRune("_.:/=+-@", r)
	}) < 0
}

// mergeTags returns the tags with the added ones, which replace those with
// their keys, at the end.
func mergeTags(have, add []types.Tag) []types.Tag {
	merged := slices.DeleteFunc(slices.Clone(have), func(old types.Tag) bool {
		return slices.ContainsFunc(add, func(tag types.Tag) bool { return *tag.Key == *old.Key })
	})
	return append(merged, add...)
}
