package bounce

import (
	"net/mail"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"pressroom/internal/deliver"
	"pressroom/model/modeltest"
)

func must(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

type office struct {
	*Intake
	now time.Time
}

func open(t *testing.T) *office {
	t.Helper()
	o := &office{now: time.Date(2026, 11, 16, 12, 0, 0, 0, time.UTC)}
	ledger, err := deliver.New(modeltest.OpenStores(t, nil, deliver.Schema).Tables, &deliver.Options{Now: func() time.Time { return o.now }})
	must(t, err)
	o.Intake = &Intake{Ledger: ledger, Key: Key("the newsroom's own")}
	return o
}

func (o *office) suppressed(t *testing.T, address string) bool {
	t.Helper()
	all := map[string]bool{}
	for s, err := range o.Ledger.Suppressions(t.Context(), "mail") {
		must(t, err)
		all[s.Target] = true
	}
	return all[address]
}

// letter is a mail of testdata about a letter to an address, stamped with a key.
func letter(t *testing.T, key Key, name, to string) []byte {
	t.Helper()
	raw, err := os.ReadFile(filepath.Join("testdata", name+".eml"))
	must(t, err)
	return []byte(strings.NewReplacer("{{to}}", to, "{{id}}", "0123abcd"+key.Stamp(to)+"@news.example", "{{return}}", key.Return("bounces@news.example", to)).Replace(string(raw)))
}

// Each form is understood, counts against the recipient of the letter and nobody else, and
// against nobody if somebody else made the stamp.
func TestForms(t *testing.T) {
	forms := map[string]Verdict{
		"postfix": Gone, "postfix-full": Strike, "postfix-delayed": None, "postfix-expired": Strike, "postfix-relayed": None,
		"sendmail": Gone, "exim": Gone, "exim-old": Gone, "qmail": Gone,
		"exchange": Gone, "exchange-online": Gone, "exchange-text": Gone, "gmail": Gone, "gmail-old": Strike, "yahoo": Gone,
		"docomo": Gone, "ezweb": Gone, "ezweb-limited": Strike, "softbank": Gone, "verp-only": Gone,
		"arf-yahoo": Complaint, "arf-aol": Complaint, "arf-not-spam": None, "vacation": None, "reply": None,
	}
	files, err := filepath.Glob("testdata/*.eml")
	if must(t, err); len(files) != len(forms) {
		t.Fatalf("%d files, %d forms", len(files), len(forms))
	}
	const to = "ann@reader.example"
	for name, want := range forms {
		t.Run(name, func(t *testing.T) {
			o := open(t)
			forged, err := o.Mail(t.Context(), letter(t, Key("somebody else's"), name, to))
			if must(t, err); len(forged.Addresses) > 0 || o.suppressed(t, to) {
				t.Fatalf("a forged bounce counts: %+v", forged)
			}
			for day := range 3 {
				out, err := o.Mail(t.Context(), letter(t, o.Key, name, to))
				if must(t, err); out.Verdict != want {
					t.Fatalf("%s: %s, want %s", out.Verdict, out.Reason, want)
				}
				if want != None && !slices.Equal(out.Addresses, []string{to}) {
					t.Fatalf("counts against %v: %s", out.Addresses, out.Reason)
				}
				closed := want == Gone || want == Complaint || want == Strike && day == 2
				if is := o.suppressed(t, to); is != closed {
					t.Fatalf("suppressed on day %d: %v (%s)", day, is, out.Reason)
				}
				o.now = o.now.AddDate(0, 0, 1)
			}
		})
	}
}

// Strikes count once a day and are forgotten after a month; lifting a suppression forgets
// them too.
func TestStrikes(t *testing.T) {
	o := open(t)
	const to = "ann@reader.example"
	hit := func() {
		t.Helper()
		must(t, o.Ledger.Strike(t.Context(), "mail", to, "full"))
	}
	for range 5 {
		hit()
	}
	if o.suppressed(t, to) {
		t.Fatal("suppressed by one day")
	}
	o.now = o.now.AddDate(0, 0, 25)
	hit()
	o.now = o.now.AddDate(0, 0, 10)
	hit()
	if o.suppressed(t, to) {
		t.Fatal("suppressed by days that are more than a month apart")
	}
	o.now = o.now.AddDate(0, 0, 1)
	hit()
	if !o.suppressed(t, to) {
		t.Fatal("three days within a month suppress")
	}
	must(t, o.Ledger.Unsuppress(t.Context(), "mail", to))
	hit()
	if o.suppressed(t, to) {
		t.Fatal("the strikes outlived the suppression")
	}
}

// A stamp is for one address, and fits where it has to.
func TestStamp(t *testing.T) {
	key := Key("k")
	for _, to := range []string{"ann@reader.example", "Ann.B+news@Reader.example", strings.Repeat("x", 60) + "@reader.example", "ü@reader.example", "o'hara=x@reader.example"} {
		back := key.Return("bounces@news.example", to)
		parsed, err := mail.ParseAddress(back)
		if must(t, err); parsed.Address != back || strings.Index(back, "@") > 64 {
			t.Errorf("the envelope sender is %q", back)
		}
		if got := key.stamped("<1" + key.Stamp(to) + "@x> " + back); !slices.Equal(got, []string{strings.ToLower(to)}) {
			t.Errorf("%q comes back as %q", to, got)
		}
	}
	other := strings.Replace(key.Return("b@news.example", "ann@reader.example"), "ann=", "bob=", 1)
	if got := key.stamped(other); len(got) > 0 {
		t.Errorf("another's mark does for %q", got)
	}
}

func FuzzRead(f *testing.F) {
	files, err := filepath.Glob("testdata/*.eml")
	must(f, err)
	for _, name := range files {
		raw, err := os.ReadFile(name)
		must(f, err)
		f.Add(raw)
	}
	f.Fuzz(func(t *testing.T, raw []byte) {
		r := read(raw)
		if r.verdict != None && r.reason == "" {
			t.Errorf("%s without a reason", r.verdict)
		}
	})
}
