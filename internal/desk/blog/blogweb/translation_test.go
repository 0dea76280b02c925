package blogweb_test

import (
	"net/http"
	"net/url"
	"strings"
	"testing"

	"github.com/PuerkitoBio/goquery"

	"pressroom/internal/auth"
	"pressroom/internal/desk/blog"
	"pressroom/internal/web/webtest"
)

// english and japanese say the same.
func english() blog.Content {
	c := content("The budget has passed", nil, "The budget has passed after a long night.")
	c.Summary = "It was a long night for all who were there."
	return c
}

func japanese(of string) blog.Content {
	c := content("予算が成立しました", nil, "長い夜の末、予算が成立しました。")
	c.Summary, c.Translates = "長い夜になりました。", of
	return c
}

// A post and its translation lead to each other while both are published, and no longer.
func TestTranslations(t *testing.T) {
	r := open(t)
	en := r.put(t, english(), blog.Published)
	ja := r.put(t, japanese("https://paper.example/blog/posts/"+en.Slug+"?lang=ja#top"), blog.Draft)
	if ja.Translates != en.ID {
		t.Fatalf("it translates %q", ja.Translates)
	}
	links := func(p blog.Post, want ...string) {
		t.Helper()
		page := r.Get(t, auth.Everyone, "/blog/posts/"+p.ID).Want(http.StatusOK)
		got := []string{}
		page.Doc.Find(".translations a").Each(func(_ int, a *goquery.Selection) {
			got = append(got, a.Text()+" "+a.AttrOr("hreflang", "")+" "+a.AttrOr("href", ""))
		})
		if strings.Join(got, "|") != strings.Join(want, "|") {
			t.Errorf("%s leads to %q, want %q", p.Title, got, want)
		}
		alternate := page.Attr(`link[rel=alternate][hreflang=ja]`, "href")
		if translated := len(want) > 0; translated == strings.Contains(alternate, "?lang=") {
			t.Errorf("%s has the alternate %s", p.Title, alternate)
		}
	}
	links(en) // a draft is not told of
	if body := r.Get(t, auth.Everyone, "/blog/posts/"+en.ID).Body; strings.Contains(body, ja.ID) {
		t.Error("the page knows the id of a draft")
	}
	ja, err := r.desk.Publish(t.Context(), ja.ID, ja.Version)
	if err != nil {
		t.Fatal(err)
	}
	jaPath := "/blog/posts/" + url.PathEscape(ja.Slug)
	links(en, "日本語で読む ja "+jaPath)
	links(ja, "Read in English en /blog/posts/"+en.Slug)
	page := r.Get(t, auth.Everyone, jaPath)
	if got := page.Attr(`link[rel=alternate][hreflang=en]`, "href"); !strings.HasSuffix(got, "/blog/posts/"+en.Slug) {
		t.Errorf("the alternate in English is %s", got)
	}
	if got := page.Attr(`link[rel=alternate][hreflang=ja]`, "href"); !strings.HasSuffix(got, jaPath) {
		t.Errorf("its own alternate is %s", got)
	}

	// Taken back, unlinked, linked again, deleted: the other page is right at once.
	if _, err := r.desk.Unpublish(t.Context(), en.ID, blog.AnyVersion); err != nil {
		t.Fatal(err)
	}
	links(ja)
	if _, err := r.desk.Publish(t.Context(), en.ID, blog.AnyVersion); err != nil {
		t.Fatal(err)
	}
	links(ja, "Read in English en /blog/posts/"+en.Slug)
	alone := ja.Content
	alone.Translates = ""
	if ja, err = r.desk.Save(t.Context(), ja.ID, ja.Version, alone); err != nil {
		t.Fatal(err)
	}
	links(en)
	links(ja)
	alone.Translates = en.Slug
	if ja, err = r.desk.Save(t.Context(), ja.ID, ja.Version, alone); err != nil {
		t.Fatal(err)
	}
	links(en, "日本語で読む ja "+jaPath)
	if err := r.desk.Delete(t.Context(), en.ID, blog.AnyVersion); err != nil {
		t.Fatal(err)
	}
	links(ja)
	// What it names is gone; it can still be saved.
	if _, err = r.desk.Save(t.Context(), ja.ID, ja.Version, ja.Content); err != nil {
		t.Errorf("the translation of a deleted post cannot be saved: %v", err)
	}
	// So can what it was be brought back, without the link.
	revisions, err := r.desk.Revisions(t.Context(), ja.ID, blog.PageOptions{})
	if err != nil {
		t.Fatal(err)
	}
	alone.Translates = ""
	if _, err = r.desk.Save(t.Context(), ja.ID, ja.Version+1, alone); err != nil {
		t.Fatal(err)
	}
	if ja, err = r.desk.Restore(t.Context(), ja.ID, ja.Version+2, revisions.Items[0].ID); err != nil || ja.Translates != "" {
		t.Errorf("restored as a translation of %q: %v", ja.Translates, err)
	}
	if err := r.desk.Check(t.Context(), func(where, what string) { t.Errorf("%s: %s", where, what) }); err != nil {
		t.Fatal(err)
	}
}

// Translations form one group, however they are named, and never a circle.
func TestTranslationGroups(t *testing.T) {
	r := open(t)
	en := r.put(t, english(), blog.Published)
	ja := r.put(t, japanese(en.ID), blog.Published)
	again := r.put(t, japanese(ja.ID), blog.Published)
	if again.Translates != en.ID {
		t.Errorf("a translation of a translation is one of %q", again.Translates)
	}
	for what, of := range map[string]string{"itself": en.ID, "its translation": ja.ID, "nothing": "no-such-post", "a post, though it has translations": r.put(t, content("Other", nil, "text"), blog.Draft).ID} {
		c := en.Content
		c.Translates = of
		if _, err := r.desk.Save(t.Context(), en.ID, en.Version, c); err == nil {
			t.Errorf("a post translates %s", what)
		}
	}
}

// A translation is linked in the editor, and both pages lead to each other.
func TestBrowserTranslation(t *testing.T) {
	r := open(t)
	b := webtest.OpenBrowser(t, r.Site)
	r.signIn(t, b, "ann", auth.Author)
	en := r.put(t, english(), blog.Published)
	ja := r.put(t, japanese(""), blog.Published)
	b.Go("/office/blog/posts/" + ja.ID)
	b.Click(".edit-facts summary")
	b.Type("#translates", "no-such-post")
	b.Click("[data-save]")
	eventually(t, "the editor says that there is no such post", func() bool { return strings.Contains(b.Text("#trouble"), "names no post") })
	webtest.Eval[bool](b, `(document.querySelector("#translates").value = "", true)`)
	b.Type("#translates", "/blog/posts/"+en.Slug)
	b.Click("[data-save]")
	state(t, b, "Saved")
	b.Go("/blog/posts/" + en.Slug)
	b.Axe("a post with a translation")
	b.Shot("blog-translation")
	b.Follow(".translations a")
	if got := b.Text("h1"); got != ja.Title {
		t.Errorf("the link leads to %q", got)
	}
	b.Phone()
	b.Axe("the translation on a phone")
	b.Shot("blog-translation-phone")
	b.Follow(".translations a")
	if got := b.Text("h1"); got != en.Title {
		t.Errorf("the link leads back to %q", got)
	}
}
