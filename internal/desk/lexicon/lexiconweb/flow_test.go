package lexiconweb_test

import (
	"log/slog"
	"net/http"
	"net/url"
	"strings"
	"testing"
	"time"

	"pressroom/internal/auth"
	"pressroom/internal/desk/lexicon"
	"pressroom/internal/desk/lexicon/lexiconweb"
	"pressroom/internal/web/webtest"
)

func form(pairs ...string) url.Values {
	v := url.Values{}
	for i := 0; i < len(pairs); i += 2 {
		v.Set(pairs[i], pairs[i+1])
	}
	return v
}

// A proposal from the form to the lexicon, and back out of it.
func TestProposal(t *testing.T) {
	p := open(t)
	p.Get(t, auth.Reader, "/lexicon/propose?term=zorp").Want(200)
	draft := form("slang_term", "zorp", "meaning", "very good", "example_usage", "that is zorp", "context", "games")
	// Those on the free tier are told before and after.
	if r := p.Get(t, auth.Author, "/lexicon/propose").Want(200); r.Count("main button[disabled]") != 1 {
		t.Error("the free tier is not told")
	}
	p.Post(t, auth.Author, "/lexicon/propose", draft).Want(403)
	bad := p.Post(t, auth.Reader, "/lexicon/propose", form("slang_term", "<b>", "meaning", "", "example_usage", "<script>x</script>")).Want(422)
	if bad.Count("[aria-invalid]") != 3 || bad.Attr("#slang_term", "value") != "<b>" {
		t.Errorf("wrong fields: %s", bad.Text(".notice"))
	}
	p.Post(t, auth.Reader, "/lexicon/propose", form("slang_term", "rizz", "meaning", "m", "example_usage", "e")).Want(409)

	made := p.Post(t, auth.Reader, "/lexicon/propose", draft).Want(303).Header.Get("Location")
	p.Get(t, auth.Reader, made).Want(200)
	p.Get(t, auth.Author, made).Want(404) // nobody has looked at it
	_, err := p.desk.Validate(t.Context(), 5)
	check(t, err)

	p.Get(t, auth.Author, made).Want(200)
	if r := p.Get(t, auth.Author, "/lexicon/proposals").Want(200); r.Text(".proposal h2") != "zorp" || r.Count("form[action$='/vote']") != 1 {
		t.Errorf("proposals: %s", r.Text("main"))
	}
	p.Post(t, auth.Reader, made+"/vote", nil).Want(403) // it is theirs
	p.Post(t, auth.Author, made+"/vote", form("return", "/lexicon/proposals")).Want(303)
	p.Post(t, auth.Author, made+"/vote", nil).Want(303) // a second click
	if r := p.Get(t, auth.Author, "/lexicon/proposals").Want(200); r.Text(".votes strong") != "1" || r.Count("form[action$='/unvote']") != 1 {
		t.Errorf("voted: %s", r.Text(".ballot"))
	}
	p.Post(t, auth.Author, made+"/unvote", nil).Want(303)
	p.Post(t, auth.Moderator, made+"/vote", nil).Want(303)

	review := strings.Replace(made, "proposals", "moderation", 1)
	if r := p.Get(t, auth.Moderator, "/lexicon/moderation").Want(200); r.Attr(".proposal h2 a", "href") != review {
		t.Errorf("queue: %s", r.Text("main"))
	}
	edit := form("slang_term", "Zorp", "meaning", "very very good", "example_usage", "that is zorp", "context", "games", "categories", "approval", "tags", "games、praise")
	p.Post(t, auth.Moderator, review+"/edit", edit).Want(303)
	p.Post(t, auth.Moderator, review+"/edit", edit).Want(422) // it changes nothing
	p.Post(t, auth.Moderator, review+"/reject", form("reason", " ")).Want(422)
	p.Post(t, auth.Moderator, review+"/approve", edit).Want(303)
	p.Post(t, auth.Moderator, review+"/reject", form("reason", "too late")).Want(409)
	r := p.Get(t, auth.Moderator, review).Want(200)
	if r.Count(".timeline li") != 4 || !strings.Contains(r.Text(".timeline ins"), "very very good") || r.Count("form[action$='/undo']") != 1 {
		t.Errorf("audit: %s", r.Text(".timeline"))
	}
	entry := p.Get(t, auth.Everyone, "/lexicon/terms/zorp").Want(200)
	if entry.Text(".sense") != "very very good" || entry.Text(".kicker") != "approval" || entry.Count(".tags a") != 2 {
		t.Errorf("entry: %s", entry.Text("main"))
	}
	if r := p.Get(t, auth.Reader, "/lexicon/proposals/mine").Want(200); r.Text(".badge") != "accepted" {
		t.Errorf("mine: %s", r.Text("main"))
	}

	p.Post(t, auth.Moderator, review+"/undo", form("reason", "hasty")).Want(303)
	p.Get(t, auth.Everyone, "/lexicon/terms/zorp").Want(404)
	p.Post(t, auth.Moderator, review+"/reject", form("reason", "nobody says it")).Want(303)
	if r := p.Get(t, auth.Reader, "/lexicon/proposals/mine").Want(200); !strings.Contains(r.Text(".why"), "nobody says it") {
		t.Errorf("why: %s", r.Text("main"))
	}
	// Only its author and moderators know of what was refused.
	p.Get(t, auth.Author, made).Want(404)
	p.Post(t, auth.Author, made+"/vote", nil).Want(404)
	for _, state := range []string{"", "pending", "rejected", "admin_rejected", "auto_approved", "admin_approved"} {
		want := 0
		if state == "admin_rejected" {
			want = 1
		}
		if n := p.Get(t, auth.Moderator, "/lexicon/moderation?lang=ja&state="+state).Want(200).Count(".proposal"); n != want {
			t.Errorf("%q has %d proposals", state, n)
		}
	}
	p.Get(t, auth.Moderator, "/lexicon/moderation?state=x").Want(422)
}

// What is refused is nowhere, on no page that others can see.
func TestRefusedIsHidden(t *testing.T) {
	p := open(t)
	s := p.propose(id(auth.Reader), "secretword")
	_, err := p.desk.Reject(t.Context(), "m", s.ID, "secretreason")
	check(t, err)
	for _, r := range p.Mux.Routes() {
		if !strings.HasPrefix(r.Pattern, "GET /lexicon") || r.Access > auth.Author {
			continue
		}
		path := strings.NewReplacer("{id}", s.ID, "{slug}", s.Slug, "{facet}", "tag", "{value}", "x", "{category}", "x").Replace(strings.TrimPrefix(r.Pattern, "GET "))
		for _, role := range []auth.Role{auth.Everyone, auth.Author} {
			if body := p.Get(t, role, path).Body; strings.Contains(body, "secret") {
				t.Errorf("%s shows it to %s", path, role)
			}
		}
	}
}

func TestQuiz(t *testing.T) {
	p := open(t)
	p.Get(t, auth.Reader, "/lexicon/quiz?lang=ja").Want(200)
	p.Post(t, auth.Reader, "/lexicon/quiz", form("difficulty", "beginner", "questions", "-3")).Want(422)
	p.Post(t, auth.Reader, "/lexicon/quiz", form("difficulty", "beginner", "category", "nothing", "questions", "5")).Want(404)
	path := p.Post(t, auth.Reader, "/lexicon/quiz", form("difficulty", "beginner", "questions", "5")).Want(303).Header.Get("Location")
	p.Get(t, auth.Author, path).Want(404) // another's
	p.Get(t, auth.Reader, "/lexicon/quiz/forged").Want(404)
	p.Post(t, auth.Reader, "/lexicon/quiz/forged", form("number", "1", "choice", "1")).Want(404)
	p.Get(t, auth.Reader, path+"/result").Want(303) // not over

	for n := range 5 {
		q := p.Get(t, auth.Reader, path).Want(200)
		if q.Count(".options button") != 4 || q.Attr("input[name=number]", "value") != string(rune('1'+n)) {
			t.Fatalf("question %d: %s", n+1, q.Text("main"))
		}
		p.pass(3 * time.Second)
		if seconds := p.Get(t, auth.Reader, path).Want(200).Attr("[data-clock]", "data-clock"); seconds != "3.0" {
			t.Errorf("the clock shows %s", seconds)
		}
		answer := form("number", string(rune('1'+n)), "choice", "2")
		out := p.Post(t, auth.Reader, path, answer).Want(200)
		if out.Count(".options .right") != 1 || out.Count("[data-next]") != 1 {
			t.Fatalf("outcome %d: %s", n+1, out.Text("main"))
		}
		// Sent twice, it counts once.
		p.Post(t, auth.Reader, path, answer).Want(303)
	}
	p.Get(t, auth.Reader, path).Want(303)
	r := p.Get(t, auth.Reader, path+"/result").Want(200)
	if r.Count(".lesson")+r.Count(".glossary dt") != 5 {
		t.Errorf("result: %s", r.Text("main"))
	}
	if stats := p.Get(t, auth.Reader, "/lexicon/quiz").Want(200); stats.Text(".figures div:nth-child(3) dd") != "5" {
		t.Errorf("statistics: %s", stats.Text("aside"))
	}
	p.Post(t, auth.Reader, path, form("number", "x", "choice", "2")).Want(422)

	// A quiz that was left is waiting, and over after a while.
	left := p.Post(t, auth.Reader, "/lexicon/quiz", form("difficulty", "advanced", "questions", "5")).Want(303).Header.Get("Location")
	p.Get(t, auth.Reader, left).Want(200)
	if p.Get(t, auth.Reader, "/lexicon/quiz").Count(`a[href="`+left+`"]`) != 1 {
		t.Error("the quiz does not wait")
	}
	p.pass(time.Hour)
	p.Get(t, auth.Reader, left).Want(303)
	if p.Get(t, auth.Reader, left+"/result").Want(200).Count(".notice.warn") != 1 {
		t.Error("the quiz does not say that it expired")
	}
}

// Without an account one can try, and is told where to sign in for more.
func TestGuests(t *testing.T) {
	p := open(t)
	for _, lang := range []string{"en", "ja"} {
		start := p.Get(t, auth.Everyone, "/lexicon/quiz?lang="+lang).Want(200)
		if start.Count(`a[href="/sign-in?return=/lexicon/quiz"]`) != 1 || start.Count("#questions option") != 2 || start.Count(".figures") != 0 {
			t.Errorf("quiz: %s", start.Text("main"))
		}
	}
	path := p.Post(t, auth.Everyone, "/lexicon/quiz", form("difficulty", "beginner", "questions", "5")).Want(303).Header.Get("Location")
	p.Get(t, auth.Reader, path).Want(404)
	for n := range 5 {
		q := p.Get(t, auth.Everyone, path).Want(200)
		if got := q.Header.Get("Cache-Control"); q.Count(".options button") != 4 || !strings.Contains(got, "no-store") {
			t.Fatalf("question %d: %s, %s", n+1, q.Text("main"), got)
		}
		p.Post(t, auth.Everyone, path, form("number", string(rune('1'+n)), "choice", "2")).Want(200)
	}
	if r := p.Get(t, auth.Everyone, path+"/result").Want(200); r.Count(".lesson")+r.Count(".glossary dt") != 5 || r.Count(".figures dt") != 3 {
		t.Errorf("result: %s", r.Text("main"))
	}
	p.Post(t, auth.Everyone, "/lexicon/quiz", form("difficulty", "beginner", "questions", "5")).Want(303)
	if full := p.Post(t, auth.Everyone, "/lexicon/quiz?lang=ja", form("difficulty", "beginner", "questions", "5")).Want(429); !strings.Contains(full.Text(".notice.bad"), "アカウントなし") {
		t.Errorf("used up: %s", full.Text("main"))
	}

	for _, part := range []string{"", "true"} {
		r, err := http.NewRequestWithContext(t.Context(), "GET", "/lexicon/translate", nil)
		check(t, err)
		r.Header.Set("HX-Request", part)
		if page := p.Do(t, auth.Everyone, r).Want(200); page.Count("#translator form") != 1 || page.Count("#translator a[href^='/sign-in']") != 1 {
			t.Errorf("translator: %s", page.Body)
		}
	}
	for range 5 {
		done := p.Post(t, auth.Everyone, "/lexicon/translate", form("text", "He has rizz")).Want(200)
		if done.Text(".result .term > a") != "rizz" || strings.Contains(done.Body, "Your tier") {
			t.Errorf("translated: %s", done.Text("main"))
		}
	}
	p.Post(t, auth.Everyone, "/lexicon/translate", form("text", "rizz")).Want(429)
	p.Post(t, auth.Everyone, "/lexicon/translate", form("text", strings.Repeat("x", 51))).Want(422)
}

// An operator may want nobody without an account.
func TestNoGuests(t *testing.T) {
	s := webtest.Open(t, lexicon.Schema)
	desk, err := lexicon.New(s.DB, nil, &lexicon.Options{
		Stories: s.Stories.Stories, Log: slog.New(slog.DiscardHandler), Tiers: map[string]lexicon.Limits{lexicon.Free: {}, lexicon.Premium: {}},
	})
	check(t, err)
	check(t, lexiconweb.Register(s.Site, desk, s.Auth))
	_, _, err = desk.Init(t.Context(), lexicon.ImportOptions{})
	check(t, err)
	if s.Get(t, auth.Everyone, "/lexicon/quiz").Want(200).Count(`.empty a[href="/sign-in?return=/lexicon/quiz"]`) != 1 {
		t.Error("who is signed out is not asked to sign in")
	}
	for _, part := range []string{"", "true"} {
		r, err := http.NewRequestWithContext(t.Context(), "GET", "/lexicon/translate", nil)
		check(t, err)
		r.Header.Set("HX-Request", part)
		page := s.Do(t, auth.Everyone, r).Want(200)
		if page.Count("#translator form") != 0 || page.Count("#translator a[href^='/sign-in']") != 1 {
			t.Errorf("without an account: %s", page.Body)
		}
	}
	if to := s.Post(t, auth.Everyone, "/lexicon/quiz", form("difficulty", "beginner", "questions", "5")).Want(303).Header.Get("Location"); !strings.HasPrefix(to, "/sign-in") {
		t.Errorf("a quiz leads to %s", to)
	}
}

// htmx gets the question alone.
func TestQuizPart(t *testing.T) {
	p := open(t)
	path := p.Post(t, auth.Reader, "/lexicon/quiz", form("difficulty", "beginner", "questions", "5")).Want(303).Header.Get("Location")
	r, err := http.NewRequestWithContext(t.Context(), "GET", path, nil)
	check(t, err)
	r.Header.Set("HX-Request", "true")
	part := p.Do(t, auth.Reader, r).Want(200)
	if part.Count("#quiz") != 1 || part.Count("header.masthead") != 0 {
		t.Errorf("part: %.200s", part.Body)
	}
}

func TestTranslate(t *testing.T) {
	p := open(t)
	p.Get(t, auth.Reader, "/lexicon/translate?lang=ja").Want(200)
	done := p.Post(t, auth.Reader, "/lexicon/translate", form("text", "He has <b>rizz</b>", "direction", "from_slang")).Want(200)
	if done.Text(".result .term > a") != "rizz" || done.Attr(".result .term > a", "href") != "/lexicon/terms/rizz" || strings.Contains(done.Body, "<b>") {
		t.Errorf("translated: %s", done.Text(".result"))
	}
	if got := done.Text(".result"); strings.Contains(got, "%") || !strings.Contains(got, "He has <b>rizz (") {
		t.Errorf("without a model words are explained, and nothing is sure by so many percent: %s", got)
	}
	p.Post(t, auth.Reader, "/lexicon/translate", form("text", "charm\r\ncharm", "direction", "to_slang", "language", "en")).Want(200)
	if same := p.Post(t, auth.Reader, "/lexicon/translate", form("text", "Good morning")).Want(200); same.Count(".result .said") != 0 || same.Count(".result") != 1 {
		t.Errorf("nothing to translate: %s", same.Text(".result"))
	}
	if long := p.Post(t, auth.Reader, "/lexicon/translate", form("text", strings.Repeat("x", 101))).Want(422); long.Count("#text[aria-invalid]") != 1 {
		t.Errorf("too long: %s", long.Text("main"))
	}
	history := p.Get(t, auth.Reader, "/lexicon/translations").Want(200)
	if history.Count(".past") == 0 || p.Get(t, auth.Author, "/lexicon/translations").Want(200).Count(".past") != 0 {
		t.Fatalf("history: %s", history.Text("main"))
	}
	kept := history.Count(".past")
	p.Post(t, auth.Author, history.Attr(".past form", "action"), nil).Want(303) // another's: nothing happens
	p.Post(t, auth.Reader, history.Attr(".past form", "action"), nil).Want(303)
	if n := p.Get(t, auth.Reader, "/lexicon/translations").Count(".past"); n != kept-1 {
		t.Errorf("%d are left of %d", n, kept)
	}
	p.Post(t, auth.Reader, "/lexicon/translations/delete", nil).Want(303)
	if p.Get(t, auth.Reader, "/lexicon/translations?lang=ja").Count(".past") != 0 {
		t.Error("the history is not empty")
	}

	// The free tier has ten a day, and is told when it has them again.
	for range 10 {
		p.Post(t, auth.Author, "/lexicon/translate", form("text", "rizz")).Want(200)
	}
	if r := p.Post(t, auth.Author, "/lexicon/translate", form("text", "rizz")).Want(429); r.Count(".notice.bad") != 1 || !strings.Contains(r.Text("#translator"), "0 of 10") {
		t.Errorf("used up: %s", r.Text("main"))
	}
}

func TestUsers(t *testing.T) {
	p := open(t)
	ann, err := p.Auth.Add(t.Context(), auth.NewAccount{Name: "ann", Email: "ann@example.org", Password: "a long enough password", Role: auth.Reader})
	check(t, err)
	path := "/lexicon/users/" + ann.ID
	p.Get(t, auth.Operator, path).Want(404) // never was at the lexicon
	p.Get(t, auth.Operator, "/lexicon/users?name=bob").Want(422)
	if r := p.Get(t, auth.Operator, "/lexicon/users?name=ann").Want(303); r.Header.Get("Location") != path {
		t.Fatalf("ann is at %s", r.Header.Get("Location"))
	}
	p.Post(t, auth.Operator, path+"/tier", form("tier", "gold")).Want(422)
	p.Post(t, auth.Operator, path+"/tier", form("tier", "premium")).Want(303)
	r := p.Get(t, auth.Operator, "/lexicon/users?tier=premium").Want(200)
	if !strings.Contains(r.Text("table"), "ann") || r.Text(".figures div:nth-child(2) dd") != "2" {
		t.Errorf("premium: %s", r.Text("main"))
	}
	p.Get(t, auth.Operator, path+"?lang=ja").Want(200)
	p.Post(t, auth.Operator, path+"/status", form("status", "suspended")).Want(303)
	if u, err := p.desk.User(t.Context(), ann.ID); err != nil || u.Status != lexicon.Suspended || u.Email != "ann@example.org" {
		t.Errorf("suspended: %+v, %v", u, err)
	}
	p.Post(t, auth.Operator, path+"/delete", nil).Want(422)
	p.Post(t, auth.Operator, path+"/delete", form("sure", "true")).Want(303)
	p.Get(t, auth.Operator, path).Want(404)

	p.Post(t, auth.Reader, "/lexicon/translate", form("text", "rizz")).Want(200)
	p.Get(t, auth.Operator, "/lexicon/users?model=builtin").Want(200)
	me := p.Get(t, auth.Reader, "/lexicon/me").Want(200)
	if me.Text(".figures div:nth-child(2) dd") != "1 / 100" {
		t.Errorf("me: %s", me.Text(".figures"))
	}
	p.Get(t, auth.Reader, "/lexicon/me?lang=ja").Want(200)
	p.Post(t, auth.Reader, "/lexicon/me/delete", nil).Want(422)
	p.Post(t, auth.Reader, "/lexicon/me/delete", form("sure", "true")).Want(303)
	if _, err := p.desk.User(t.Context(), id(auth.Reader)); err == nil {
		t.Error("the profile is still there")
	}
}

func TestWrite(t *testing.T) {
	p := open(t)
	p.Get(t, auth.Moderator, "/lexicon/write").Want(200)
	f := form("term", "glorp", "gloss", "a good thing", "gloss_ja", "よいもの", "confidence", "0.8", "momentum", "x", "language", "en")
	p.Post(t, auth.Moderator, "/lexicon/write", f).Want(422)
	f.Set("momentum", "0.4")
	f.Set("examples", "glorp one\nglorp two")
	f.Set("sources", "https://example.org/glorp, a friend")
	p.Post(t, auth.Moderator, "/lexicon/write", f).Want(303)
	entry := p.Get(t, auth.Moderator, "/lexicon/terms/glorp?lang=ja").Want(200)
	if entry.Text(".sense:not(.other)") != "よいもの" || entry.Count(".examples li") != 2 || entry.Attr(".source a", "href") != "https://example.org/glorp" {
		t.Errorf("written: %s", entry.Text("main"))
	}
	edit := p.Get(t, auth.Moderator, "/lexicon/terms/glorp/edit").Want(200)
	f.Set("version", edit.Attr("input[name=version]", "value"))
	f.Set("gloss", "a very good thing")
	p.Post(t, auth.Moderator, "/lexicon/terms/glorp/edit", f).Want(303)
	p.Post(t, auth.Moderator, "/lexicon/terms/glorp/edit", f).Want(412) // it is another version now
	p.Post(t, auth.Moderator, "/lexicon/terms/glorp/delete", nil).Want(303)
	p.Get(t, auth.Moderator, "/lexicon/terms/glorp").Want(404)
	p.Post(t, auth.Moderator, "/lexicon/terms/glorp/delete", nil).Want(404)
}
