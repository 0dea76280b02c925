package ops

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
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
	in := &dynamodb.ScanInput{TableName: &t.Name}
	for {
		out, err := db.Scan(ctx, in)
		var missing *types.ResourceNotFoundException
		if errors.As(err, &missing) {
			return nil // that a table is not there yet is said elsewhere
		}
		if err != nil {
			return fmt.Errorf("read table %s: %w", t.Name, err)
		}
		for _, item := range out.Items {
			for _, what := range faults(t, item) {
				report(Finding{Where: t.Name + " " + keyText(t, item), What: what})
			}
		}
		if out.LastEvaluatedKey == nil {
			return nil
		}
		in.ExclusiveStartKey = out.LastEvaluatedKey
	}
}

// keyText shows the key of an item.
func keyText(t *model.Table, item model.Raw) string {
	var parts []string
	for _, name := range t.KeyNames() {
		parts = append(parts, name+"="+valueText(item[name]))
	}
	return strings.Join(parts, " ")
}

// faults returns what is wrong with an item.
func faults(t *model.Table, item model.Raw) []string {
	id, ok := t.Identify(item)
	if !ok {
		return []string{"no entity of the schema has such a key"}
	}
	var all []string
	for _, f := range id.Entity.Fields {
		if what := fieldFault(&f, id, item); what != "" {
			all = append(all, id.Entity.Name+": "+what)
		}
	}
	if len(all) == 0 {
		all = keyFaults(t, id, item)
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
	whole := model.Raw{}
	for name, value := range item {
		whole[name] = value
	}
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
