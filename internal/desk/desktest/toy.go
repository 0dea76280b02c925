package desktest

import (
	"context"
	"errors"
	"iter"
	"net/http"
	"slices"
	"strings"
	"testing/fstest"
	"time"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb/types"

	"pressroom/internal/api"
	"pressroom/internal/auth"
	"pressroom/internal/desk"
	"pressroom/internal/errs"
	"pressroom/internal/ops"
	"pressroom/internal/search"
	"pressroom/internal/story"
	"pressroom/internal/web"
	"pressroom/model"
)

// Toy is a whole desk in one file, notes that anyone may read, to prove that the
// program needs to know no more of a desk than its declaration.
var Toy = desk.Desk{
	Schema:   model.Schema{Name: "notes", Tables: []model.Table{toyTable}},
	Settings: func() any { return new(toySettings) },
	Open:     openToy,
	Commands: []desk.Command{{Name: "note", Help: "Write a note.", Run: func() desk.Runner { return new(noteCmd) }}},
}

type toySettings struct {
	NotesBy string `name:"notes-by" hidden:"" default:"nobody" help:"Who writes the notes."`
}

var toyTable = model.Table{
	Name: "Notes", Env: "NOTES_TABLE", Purpose: "short notes", PK: model.Key{Name: "pk"}, SK: model.Key{Name: "sk"}, RecoveryDays: 35, Encrypted: true, Stream: "NEW_AND_OLD_IMAGES",
	Entities: []model.Entity{{Name: "Note", Doc: "a note", PK: "NOTES", SK: "NOTE#{id}", Peak: 1, Fields: []model.Field{
		{Name: "id", Size: 8, Max: 64}, {Name: "text", Size: 40, Max: 1024}, {Name: "by", Size: 10, Max: 64}, {Name: "at", Kind: model.Time},
	}}},
	Patterns: []model.Pattern{
		{Name: "GetNote", Who: "reader", Asks: "a note", Op: model.Get, Yields: []string{"Note"}, By: []string{"id"}, Strong: true},
		{Name: "Notes", Who: "reader", Asks: "all notes", Op: model.Query, Yields: []string{"Note"}, Begins: "NOTE#", Order: "id", Limit: 100, Strong: true},
	},
}

// Note is a note.
type Note struct {
	ID   string `dynamodbav:"id" json:"id"`
	Text string `dynamodbav:"text" json:"text"`
	By   string `dynamodbav:"by" json:"by"`
	At   string `dynamodbav:"at" json:"at"`
}

func (n *Note) path() string { return "/notes/" + n.ID }

type notes struct {
	*model.Repo[Note]
	list *model.View[Note]
	room *desk.Room
	by   string
}

func newNotes(room *desk.Room) (*notes, error) {
	repo, err := model.NewRepo[Note](room.Tables, &room.Schema.Tables[0], "Note", nil)
	list, failed := model.NewView[Note](room.Tables, &room.Schema.Tables[0], "Notes", nil)
	return &notes{repo, list, room, room.Settings.(*toySettings).NotesBy}, errors.Join(err, failed)
}

func (d *notes) write(ctx context.Context, id, text string) error {
	n := &Note{ID: id, Text: text, By: d.by, At: model.FormatTime(time.Now())}
	return story.Transact(ctx, d.room.Tables, []model.Piece{d.PutPiece(n)}, func() ([]model.Piece, error) { return d.room.Stories.Publish(ctx, n.story().Story, "") })
}

func (d *notes) get(ctx context.Context, id string) (Note, error) {
	n, err := d.Get(ctx, model.Values{"id": id})
	if errors.Is(err, model.ErrNotFound) {
		err = errs.NotFound
	}
	return n, err
}

func (d *notes) all(ctx context.Context) (all []Note, err error) {
	for n, err := range d.list.All(ctx, nil, model.Window{}) {
		if err != nil {
			return nil, err
		}
		all = append(all, n)
	}
	return all, nil
}

func openToy(_ context.Context, room *desk.Room) (*desk.Parts, error) {
	d, err := newNotes(room)
	return &desk.Parts{
		Pages: func(site *web.Site, _ *search.Service) error { return d.pages(site) },
		JSON: func(a *api.API) {
			api.Get(a, "/notes/notes", auth.Everyone, api.Op{ID: "listNotes", Summary: "All notes"}, func(ctx context.Context, _ *struct{ api.Page }) (*api.List[Note], error) {
				all, err := d.all(ctx)
				return api.ListOf(all, "", func(n Note) Note { return n }), err
			})
		},
		Shelf: &story.Shelf{
			Desk: "notes", Tables: []string{room.Table("NOTES_TABLE")},
			All: func(ctx context.Context) iter.Seq2[story.Text, error] {
				return story.Texts(d.list.All(ctx, nil, model.Window{}), (*Note).story)
			},
			Load: func(ctx context.Context, id string) (story.Text, error) {
				n, err := d.get(ctx, id)
				return n.story(), err
			},
			Affected: story.Keyed(func(keys model.Raw) (string, bool) {
				return strings.CutPrefix(keys["sk"].(*types.AttributeValueMemberS).Value, "NOTE#")
			}),
		},
		Jobs: []ops.Job{{Name: "notes-greet", Doc: "Writes a greeting.", Every: time.Hour, Run: func(ctx context.Context, _ *ops.Progress) error {
			return d.write(ctx, "greeting", "a greeting from the job")
		}}},
		Watch: ops.SourceFunc(func(ctx context.Context) (ops.Readings, error) {
			all, err := d.all(ctx)
			return ops.Readings{Queues: []ops.Queue{{Name: "notes to read", Most: 100, Items: map[string]int{"waiting": len(all)}}}}, err
		}),
		Check: func(ctx context.Context, report func(where, what string)) error {
			all, err := d.all(ctx)
			if slices.ContainsFunc(all, func(n Note) bool { return n.Text == "" }) {
				report("a note", "has no text")
			}
			return err
		},
	}, err
}

func (n *Note) story() story.Text {
	return story.Text{Body: n.Text, Story: story.Story{
		Ref: story.Ref{Desk: "notes", ID: n.ID}, Kind: "note", Path: n.path(), Language: "en", Title: n.Text, Published: n.At,
	}}
}

var toyFiles = fstest.MapFS{
	"note.html":       {Data: []byte(`<h1>{{.Title}}</h1><p>{{.Data.Text}}</p>`)},
	"locales/en.json": {Data: []byte(`{"notes.nav": "Notes", "ops.queue.notes to read": "Notes: to read"}`)},
	"locales/ja.json": {Data: []byte(`{"notes.nav": "メモ", "ops.queue.notes to read": "メモ：未読"}`)},
}

func (d *notes) pages(site *web.Site) error {
	views, failed := site.Templates(toyFiles)
	site.Nav(web.NavItem{Path: "/notes/greeting", Key: "notes.nav", Order: 90})
	site.Get("/notes/{id}", auth.Everyone, func(w http.ResponseWriter, r *http.Request) error {
		n, err := d.get(r.Context(), r.PathValue("id"))
		if err != nil {
			return err
		}
		return site.Render(w, r, views, "note", web.Page{Title: n.Text, Description: n.Text, Canonical: n.path(), Data: n})
	})
	site.Front(web.FrontSection{Desk: "notes", Key: "notes.nav", Path: "/notes/greeting", Order: 90})
	return failed
}

type noteCmd struct {
	ID   string `arg:"" help:"The note's id."`
	Text string `arg:"" help:"Its text."`
}

// Run writes the note.
func (c *noteCmd) Run(t *desk.Terminal) error {
	room, err := t.Open()
	if err != nil {
		return err
	}
	d, err := newNotes(room)
	return errors.Join(err, d.write(t.Context, c.ID, c.Text))
}
