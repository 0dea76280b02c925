package deploy

import (
	"context"
	"errors"
	"fmt"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb"
	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"

	"pressroom/dynamo"
	"pressroom/model"
)

// Migration is one table's walk to the present schema version. It also writes
// index keys that items lack because another program wrote them, or an older
// schema. It may run while others read and write: an item that changes under its
// hands is looked at again.
type Migration struct {
	DB    dynamo.API
	Table *model.Table
	// DryRun counts what would change and changes nothing.
	DryRun bool
	// From is where to go on; the zero value is the beginning.
	From Position
	// PageSize is how many items are looked at between two reports. Default
	// 100.
	PageSize int
	// Adopt is told of every item that another program wrote, after it was brought up
	// to date: what belongs to it may be missing. May be nil.
	Adopt func(ctx context.Context, key model.Raw) error
	// Report is called after each page, with what was done so far and where to go
	// on after an interruption. An error of it ends the migration. May be nil.
	Report func(Progress) error
}

// Position is a place in a table's walk: the last key that was done, as text by
// attribute. Nil is the beginning.
type Position map[string]string

// Progress counts items.
type Progress struct {
	Table   string   `json:"table"`
	About   int64    `json:"about"`   // items in the table, as it last counted them
	Seen    int      `json:"seen"`    // looked at
	Changed int      `json:"changed"` // brought up to date, or in a dry run to be brought
	Adopted int      `json:"adopted"` // of these, written by other programs
	Unknown int      `json:"unknown"` // of no entity, left alone
	Failed  []string `json:"failed,omitempty"`
	Next    Position `json:"next,omitempty"` // nil when all is done
}

// maxFailed is how many failures are kept as text.
const maxFailed = 100

// Migrate walks the table. Items that cannot be brought up to date are listed in
// Failed and left as they are; they are no error.
func (m *Migration) Migrate(ctx context.Context) (Progress, error) {
	p := Progress{Table: m.Table.Name}
	described, err := m.DB.DescribeTable(ctx, &dynamodb.DescribeTableInput{TableName: &m.Table.Name})
	if err != nil {
		return p, fmt.Errorf("migrate %s: %w", m.Table.Name, err)
	}
	p.About = aws.ToInt64(described.Table.ItemCount)
	from, err := m.key(m.From)
	if err != nil {
		return p, err
	}
	size := m.PageSize
	if size <= 0 {
		size = 100
	}
	for {
		out, err := m.DB.Scan(ctx, &dynamodb.ScanInput{TableName: &m.Table.Name, ConsistentRead: aws.Bool(true), Limit: aws.Int32(int32(size)), ExclusiveStartKey: from})
		if err != nil {
			return p, fmt.Errorf("migrate %s: %w", m.Table.Name, err)
		}
		if err := m.page(ctx, out.Items, &p); err != nil {
			return p, fmt.Errorf("migrate %s: %w", m.Table.Name, err)
		}
		from = out.LastEvaluatedKey
		p.Next = m.position(from)
		if m.Report != nil {
			if err := m.Report(p); err != nil {
				return p, err
			}
		}
		if from == nil {
			return p, nil
		}
	}
}

// key turns a position into a start key.
func (m *Migration) key(at Position) (model.Raw, error) {
	if at == nil {
		return nil, nil
	}
	key := model.Raw{}
	for _, k := range []model.Key{m.Table.PK, m.Table.SK} {
		if k.Name == "" {
			continue
		}
		text, ok := at[k.Name]
		if !ok {
			return nil, fmt.Errorf("migrate %s: the position has no %s", m.Table.Name, k.Name)
		}
		key[k.Name] = scalar(k.Kind, text)
	}
	return key, nil
}

func (m *Migration) position(key model.Raw) Position {
	if key == nil {
		return nil
	}
	at := Position{}
	for name, value := range key {
		switch v := value.(type) {
		case *types.AttributeValueMemberS:
			at[name] = v.Value
		case *types.AttributeValueMemberN:
			at[name] = v.Value
		}
	}
	return at
}

func scalar(k model.Kind, text string) types.AttributeValue {
	if k.DynamoDB() == "N" {
		return &types.AttributeValueMemberN{Value: text}
	}
	return &types.AttributeValueMemberS{Value: text}
}

// page brings the items of a page up to date, then tells of those that other programs
// wrote.
func (m *Migration) page(ctx context.Context, items []model.Raw, p *Progress) error {
	var foreign []model.Raw
	for _, item := range items {
		if model.Foreign(item) {
			foreign = append(foreign, keyOf(m.Table, item))
		}
		if err := m.item(ctx, item, p); err != nil {
			return err
		}
	}
	if m.DryRun || m.Adopt == nil {
		return nil
	}
	for _, key := range foreign {
		if err := m.Adopt(ctx, key); err != nil {
			return err
		}
	}
	return nil
}

func (m *Migration) item(ctx context.Context, item model.Raw, p *Progress) error {
	p.Seen++
	changed, err := m.Table.Refresh(ctx, m.DB, item, model.RefreshOptions{DryRun: m.DryRun})
	switch {
	case errors.Is(err, model.ErrUnknown):
		p.Unknown++
		return nil
	case errors.Is(err, model.ErrUnfit):
		p.fail(m.Table, item, err)
		return nil
	case err != nil || !changed:
		return err
	}
	p.Changed++
	if model.Foreign(item) {
		p.Adopted++
	}
	return nil
}

func keyOf(t *model.Table, item model.Raw) model.Raw {
	key := model.Raw{}
	for _, name := range t.KeyNames() {
		key[name] = item[name]
	}
	return key
}

func (p *Progress) fail(t *model.Table, item model.Raw, err error) {
	if len(p.Failed) < maxFailed {
		m := Migration{Table: t}
		p.Failed = append(p.Failed, fmt.Sprintf("%v: %v", map[string]string(m.position(keyOf(t, item))), err))
	}
}
