package story

import (
	"context"
	"errors"
	"iter"

	"github.com/aws/aws-sdk-go-v2/feature/dynamodb/attributevalue"
	dynamodbtypes "github.com/aws/aws-sdk-go-v2/service/dynamodb/types"
	"github.com/aws/aws-sdk-go-v2/service/dynamodbstreams/types"

	"pressroom/model"
)

// ErrUnreadable is wrapped by the error for a story that is there and cannot be read,
// now or later. Any other error is taken for one that passes, and tried again.
var ErrUnreadable = errors.New("the story cannot be read")

// Text is a story with its text, as its desk has it now.
type Text struct {
	Story
	Body   string // plain text
	Hidden string // plain text that the story is found by, and nobody is shown
	// Passages are the parts of the text that can be cited, in their order.
	Passages []Passage
	// Names are what the story names and has a page of its own.
	Names []Name
}

// Name is somebody or something with a page of its own, as a story names it.
type Name struct {
	Kind    string   `json:"k"` // person, bill, term
	Name    string   `json:"n"`
	Path    string   `json:"p"`           // of the page; what has another is another
	Reading string   `json:"r,omitempty"` // in kana
	Aliases []string `json:"a,omitempty"`
	Offices []string `json:"o,omitempty"` // of a person, the present one first
	Note    string   `json:"t,omitempty"` // what else tells it from others of the name
}

// Kinds of names.
const (
	Person = "person"
	Bill   = "bill"
	Term   = "term"
)

// Shelf is a desk as others read it: what its own items say.
type Shelf struct {
	Desk string
	// Words are what readers write before others to search this desk alone, the longer first.
	Words []string
	// Tables are those whose changes concern its stories.
	Tables []string
	// Adopts are those of the tables whose items the desk takes over when other programs
	// write them: index keys and additions that are missing are added.
	Adopts []*model.Table
	// Adopt adds what lies beside a story and another program left out, such as its
	// places in lists. It does nothing to a story that has it all, and nothing if there
	// is none. Nil if there is nothing of the kind.
	Adopt func(ctx context.Context, id string) error
	// All yields every story that everyone may see, in any order. It may miss or repeat
	// what changes meanwhile.
	All func(context.Context) iter.Seq2[Text, error]
	// Load returns a story as it is now, or errs.NotFound if there is none that everyone
	// may see. It reads consistently: what a change has in it, Load sees.
	Load func(ctx context.Context, id string) (Text, error)
	// Affected yields the stories that a change of a table may have changed, made or
	// taken back. It may yield too many.
	Affected func(ctx context.Context, table string, change types.Record) iter.Seq2[string, error]
}

// Keyed is Affected for a table in which the keys of an item say whose it is.
func Keyed(of func(keys model.Raw) (id string, ok bool)) func(context.Context, string, types.Record) iter.Seq2[string, error] {
	return func(_ context.Context, _ string, change types.Record) iter.Seq2[string, error] {
		return func(yield func(string, error) bool) {
			if change.Dynamodb == nil {
				return
			}
			keys, err := attributevalue.FromDynamoDBStreamsMap(change.Dynamodb.Keys)
			if err != nil {
				return // keys of another kind are of no item of ours
			}
			if id, ok := of(keys); ok {
				yield(id, nil)
			}
		}
	}
}

// AdoptAt adopts the stories that an item belongs to, by its key.
func (s *Shelf) AdoptAt(ctx context.Context, table string, key model.Raw) error {
	if s.Adopt == nil {
		return nil
	}
	keys := map[string]types.AttributeValue{}
	for name, value := range key {
		if text, ok := value.(*dynamodbtypes.AttributeValueMemberS); ok {
			keys[name] = &types.AttributeValueMemberS{Value: text.Value}
		}
	}
	for id, err := range s.Affected(ctx, table, types.Record{Dynamodb: &types.StreamRecord{Keys: keys}}) {
		if err == nil {
			err = s.Adopt(ctx, id)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// Texts turns what a desk has into stories with their texts.
func Texts[D any](all iter.Seq2[D, error], of func(*D) Text) iter.Seq2[Text, error] {
	return func(yield func(Text, error) bool) {
		for d, err := range all {
			var text Text
			if err == nil {
				text = of(&d)
			}
			if !yield(text, err) || err != nil {
				return
			}
		}
	}
}
