package ops

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"

	"pressroom/model"
)

// SchemaChecker looks at every item of the schemas' tables and reports those
// that no entity accounts for, that lack a field, hold a value of another type or
// outside of its list, or are under another key than their fields say. What desks
// promise beyond their schema is for their own Checkers.
func SchemaChecker(db model.DB, schemas ...model.Schema) Checker {
	return CheckFunc(func(ctx context.Context, report func(Finding)) error {
		for _, s := range schemas {
			for i := range s.Tables {
				if err := checkTable(ctx, db, &s.Tables[i], report); err != nil {
					return err
				}
			}
		}
		return nil
	})
}

func checkTable(ctx context.Context, db model.DB, t *model.Table, report func(Finding)) error {
	return t.Walk(ctx, db, func(item model.Item) error {
		for _, what := range faults(t, item) {
			report(Finding{Where: t.Where(item.Raw), What: what})
		}
		return nil
	})
}

// faults returns what is wrong with an item.
func faults(t *model.Table, item model.Item) []string {
	id, ok := t.Identify(item.Raw)
	if !ok {
		return []string{"no entity of the schema has such a key"}
	}
	if item.Entity == nil {
		_, err := id.Entity.Upgrade(maps.Clone(item.Raw))
		return []string{fmt.Sprintf("%s: it cannot be read: %v", id.Entity.Name, err)}
	}
	var all []string
	for _, f := range id.Entity.Fields {
		if what := fieldFault(&f, id, item.Raw); what != "" {
			all = append(all, id.Entity.Name+": "+what)
		}
	}
	if len(all) == 0 {
		all = append(keyFaults(t, id, item.Raw), strayKeys(t, id.Entity, item.Raw)...)
	}
	return all
}

func fieldFault(f *model.Field, id model.Identity, item model.Raw) string {
	value, there := item[f.Name]
	if _, none := value.(*types.AttributeValueMemberNULL); !there || none {
		if f.Optional || f.InKey || id.Values[f.Name] != "" || f.From != "" || id.Entity.Version == f.Name {
			return ""
		}
		return "it has no " + f.Name
	}
	if got, want := kindOf(value), f.Kind.DynamoDB(); got != want {
		return fmt.Sprintf("%s is of type %s, not %s", f.Name, got, want)
	}
	if text, ok := value.(*types.AttributeValueMemberS); ok && len(f.Values) > 0 && text.Value != "" && !slices.Contains(f.Values, text.Value) {
		return fmt.Sprintf("%s is %q, none of %s", f.Name, text.Value, strings.Join(f.Values, ", "))
	}
	return ""
}

// keyFaults compares the keys with those that the fields make.
func keyFaults(t *model.Table, id model.Identity, item model.Raw) []string {
	whole := maps.Clone(item)
	for name, text := range id.Values {
		if _, there := whole[name]; !there {
			whole[name] = &types.AttributeValueMemberS{Value: text}
		}
	}
	if err := t.Fill(id.Entity, whole); err != nil {
		return []string{fmt.Sprintf("%s: its keys cannot be made from its fields: %v", id.Entity.Name, err)}
	}
	var all []string
	names := t.KeyNames()
	for _, x := range t.Indexes {
		names = append(names, x.KeyNames()...)
	}
	slices.Sort(names)
	for _, name := range slices.Compact(names) {
		if got, want := valueText(item[name]), valueText(whole[name]); got != want {
			all = append(all, fmt.Sprintf("%s: %s is %q, its fields make it %q", id.Entity.Name, name, got, want))
		}
	}
	return all
}

// strayKeys finds key attributes of indexes that the entity is not in: with them
// the item shows up in lists where it does not belong.
func strayKeys(t *model.Table, e *model.Entity, item model.Raw) []string {
	belong := t.KeyNames()
	for _, f := range e.Fields {
		belong = append(belong, f.Name)
	}
	for _, x := range t.Indexes {
		if _, in := e.Key(x.Name); in {
			belong = append(belong, x.KeyNames()...)
		}
	}
	var all []string
	for _, x := range t.Indexes {
		for _, name := range x.KeyNames() {
			if _, there := item[name]; there && !slices.Contains(belong, name) {
				all = append(all, fmt.Sprintf("%s: it has %s, and is not in %s", e.Name, name, x.Name))
			}
		}
	}
	return all
}

func kindOf(value types.AttributeValue) string {
	switch value.(type) {
	case *types.AttributeValueMemberS:
		return "S"
	case *types.AttributeValueMemberN:
		return "N"
	case *types.AttributeValueMemberB:
		return "B"
	case *types.AttributeValueMemberBOOL:
		return "BOOL"
	case *types.AttributeValueMemberL:
		return "L"
	case *types.AttributeValueMemberM:
		return "M"
	case *types.AttributeValueMemberSS:
		return "SS"
	}
	return fmt.Sprintf("%T", value)
}

func valueText(value types.AttributeValue) string {
	switch v := value.(type) {
	case *types.AttributeValueMemberS:
		return v.Value
	case *types.AttributeValueMemberN:
		return v.Value
	case *types.AttributeValueMemberB:
		return fmt.Sprintf("%x", v.Value)
	}
	return ""
}
