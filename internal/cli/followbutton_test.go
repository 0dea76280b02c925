package cli

import (
	"net/http"
	"net/url"
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/PuerkitoBio/goquery"

	"pressroom/internal/follow"
	"pressroom/internal/story"
)

// button returns the first button on a page that follows something of a kind, and what that
// is.
func (d *demoRun) button(t *testing.T, path, kind string) follow.Subject {
	t.Helper()
	doc, err := goquery.NewDocumentFromReader(strings.NewReader(d.page(t, http.DefaultClient, path)))
	if err != nil {
		t.Fatal(err)
	}
	at := doc.Find(`a[href^="/follow?kind=`+kind+`&"]`).First().AttrOr("href", "")
	u, err := url.Parse(at)
	if err != nil || at == "" {
		t.Fatalf("%s has no button to follow the %s: %v", path, kind, err)
	}
	name := u.Query().Get("name")
	if form := d.page(t, http.DefaultClient, at); name == "" || !strings.Contains(form, `name="address"`) {
		t.Errorf("the button on %s leads to %s, which asks for no address", path, at)
	}
	return follow.Subject{Kind: kind, Name: name}
}

// first returns the first address on a page that looks so.
func (d *demoRun) first(t *testing.T, path, form string) string {
	t.Helper()
	found := regexp.MustCompile(`href="(` + form + `)"`).FindStringSubmatch(d.page(t, http.DefaultClient, path))
	if found == nil {
		t.Fatalf("%s leads to no %s", path, form)
	}
	return found[1]
}

// The buttons on the pages of people, their parties and authors name what stories are
// matched by: whoever follows them is told.
func TestFollowButtons(t *testing.T) {
	dir := t.TempDir()
	d := startRun(t, "demo", "--addr=127.0.0.1:0", "--aws-addr=127.0.0.1:0", "--data="+dir, "--config="+os.DevNull, "--smtp-addr=127.0.0.1:1", "--letters-from=news@example.org", "--rate-limit=0")
	d.await(t, "it says where to look", func() bool { return strings.Contains(d.stdout.String(), "Ctrl-C") })
	d.url = regexp.MustCompile(`http://[0-9.:]+`).FindString(d.stdout.String())
	d.complete(t)
	person := d.first(t, "/minutes/people", `/minutes/people/[^"?]+`)
	wanted := []follow.Subject{
		d.button(t, person, follow.Person), d.button(t, person, follow.Party),
		d.button(t, d.first(t, "/blog", `/blog/posts/[^"?#]+`), follow.Author),
	}
	if code := d.stop(); code != 0 {
		t.Fatalf("the demo ends with %d", code)
	}

	set := testSettings(t)
	set.Data = dir
	st, err := openStore(set.storeSettings, set.endpointSettings, quiet)
	if err != nil {
		t.Fatal(err)
	}
	defer func() {
		if err := st.Close(); err != nil {
			t.Error(err)
		}
	}()
	stories, err := story.New(st.db, &story.Options{Table: set.names().table(story.Schema)})
	if err != nil {
		t.Fatal(err)
	}
	list, err := stories.List(t.Context(), story.Listing{Desks: deskNames(every), Limit: 500})
	if err != nil {
		t.Fatal(err)
	}
	for _, s := range wanted {
		one := follow.Subjects(&story.Story{Subjects: []story.Subject{s}})
		if !slices.ContainsFunc(list.Items, func(st story.Story) bool { return slices.Contains(follow.Subjects(&st), one[0]) }) {
			t.Errorf("of %d stories none is about the %s %s, which a button follows", len(list.Items), s.Kind, s.Name)
		}
	}
}
