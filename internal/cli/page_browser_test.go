package cli

import (
	"context"
	_ "embed"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"net/url"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/chromedp/chromedp"
)

// hostilePage tries everything that a page can, and returns what it read.
//
//go:embed testdata/hostile.html
var hostilePage string

// What the hostile page must never get hold of, and what it must never leave
// behind.
const (
	secretMark  = "for-programs-only-7c1f"
	hostileMark = "left-by-a-page-9d2e"
)

// hostileSite serves the page and keeps what is sent to it.
type hostileSite struct {
	*httptest.Server
	mu   sync.Mutex
	loot []string
}

func newHostileSite(t *testing.T, targets map[string]string) *hostileSite {
	t.Helper()
	h := &hostileSite{}
	list, err := json.Marshal(targets)
	if err != nil {
		t.Fatal(err)
	}
	page := strings.NewReplacer("TARGETS", string(list), "MARK", hostileMark).Replace(hostilePage)
	h.Server = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path == "/loot" {
			body, _ := io.ReadAll(r.Body)
			h.mu.Lock()
			h.loot = append(h.loot, r.URL.RawQuery+string(body))
			h.mu.Unlock()
			w.Header().Set("Access-Control-Allow-Origin", "*")
			return
		}
		w.Header().Set("Content-Type", "text/html; charset=utf-8")
		_, _ = io.WriteString(w, page)
	}))
	t.Cleanup(h.Close)
	return h
}

// asProgram sends what a program on this machine sends.
func asProgram(t *testing.T, method, address, target, body string) string {
	t.Helper()
	r, err := http.NewRequest(method, address, strings.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	if target != "" {
		r.Header.Set("X-Amz-Target", "DynamoDB_20120810."+target)
		r.Header.Set("Content-Type", "application/x-amz-json-1.0")
	}
	resp, err := http.DefaultClient.Do(r)
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close()
	got, err := io.ReadAll(resp.Body)
	if err != nil || resp.StatusCode >= 300 {
		t.Fatalf("%s %s %s: %s %s, %v", method, address, target, resp.Status, got, err)
	}
	return string(got)
}

// everything is all that the stores hold, as text.
func everything(t *testing.T, port string) string {
	t.Helper()
	var all strings.Builder
	var tables struct{ TableNames []string }
	if err := json.Unmarshal([]byte(asProgram(t, "POST", port, "ListTables", "{}")), &tables); err != nil {
		t.Fatal(err)
	}
	for _, name := range tables.TableNames {
		fmt.Fprintln(&all, "table", name)
		all.WriteString(asProgram(t, "POST", port, "Scan", fmt.Sprintf(`{"TableName":%q}`, name)))
	}
	buckets := asProgram(t, "GET", port, "", "")
	all.WriteString(buckets)
	for _, m := range regexp.MustCompile(`<Name>([^<]+)</Name>`).FindAllStringSubmatch(buckets, -1) {
		all.WriteString(asProgram(t, "GET", port+"/"+m[1]+"?list-type=2", "", ""))
	}
	return all.String()
}

// TestBrowserAttack opens a hostile page in a real browser whose person is signed
// in to the demo. From another site, from another port of the same machine and
// under names that lead to this machine it tries forms, fetch in every mode,
// images, scripts, frames and sockets on both stores, the pages and the API. It
// must read nothing and write nothing.
func TestBrowserAttack(t *testing.T) {
	chromium := os.Getenv("PRESSROOM_CHROMIUM")
	if chromium == "" {
		t.Skip("SKIPPED: no browser test without $PRESSROOM_CHROMIUM; .ci/run browser sets it")
	}
	d := startDemo(t, filepath.Join(t.TempDir(), "demo"))
	d.complete(t)
	port := regexp.MustCompile(`msg="serving DynamoDB and S3" url=(\S+)`).FindStringSubmatch(d.stderr.String())[1]
	asProgram(t, "PUT", port+"/private", "", "")
	asProgram(t, "PUT", port+"/private/secret.txt", "", secretMark)
	asProgram(t, "POST", port, "CreateTable", `{"TableName":"Private","BillingMode":"PAY_PER_REQUEST","KeySchema":[{"AttributeName":"k","KeyType":"HASH"}],"AttributeDefinitions":[{"AttributeName":"k","AttributeType":"S"}]}`)
	asProgram(t, "POST", port, "PutItem", `{"TableName":"Private","Item":{"k":{"S":"secret"},"v":{"S":"`+secretMark+`"}}}`)

	rebound := func(address string) string {
		u, err := url.Parse(address)
		if err != nil {
			t.Fatal(err)
		}
		return "http://rebound.test:" + u.Port()
	}
	hostile := newHostileSite(t, map[string]string{
		"port": port, "port rebound": rebound(port), "pages": d.url, "pages rebound": rebound(d.url),
	})
	options := append(chromedp.DefaultExecAllocatorOptions[:], chromedp.ExecPath(chromium), chromedp.NoSandbox, chromedp.DisableGPU,
		chromedp.Flag("host-resolver-rules", "MAP *.test 127.0.0.1"))
	allocator, stopAllocator := chromedp.NewExecAllocator(context.Background(), options...)
	defer stopAllocator()
	ctx, stop := chromedp.NewContext(allocator)
	defer stop()
	ctx, cancel := context.WithTimeout(ctx, 5*time.Minute)
	defer cancel()
	do := func(what string, steps ...chromedp.Action[chromedp.Void]) {
		t.Helper()
		if err := chromedp.Do(ctx, steps...); err != nil {
			t.Fatalf("%s: %v", what, err)
		}
	}

	// The person is at work.
	password := regexp.MustCompile(`(?m)^  (operator) +(\S+) `).FindStringSubmatch(d.stdout.String())
	if password == nil {
		t.Fatalf("the demo names no operator:\n%s", d.stdout.String())
	}
	do("sign in", chromedp.Navigate(d.url+"/sign-in"), chromedp.SendKeys("#name", password[1]), chromedp.SendKeys("#password", password[2]))
	if _, err := chromedp.RunResponse(ctx, chromedp.Click("main button[type=submit]")); err != nil {
		t.Fatal(err)
	}
	office := func() string {
		t.Helper()
		do("the office", chromedp.Navigate(d.url+"/office"))
		status, err := chromedp.Run(ctx, chromedp.Evaluate[string]("location.pathname"))
		if err != nil {
			t.Fatal(err)
		}
		return status
	}
	before := office()
	if strings.Contains(before, "sign-in") {
		t.Fatalf("nobody is signed in: %s", before)
	}

	elsewhere := "http://hostile.test" + hostile.URL[strings.LastIndex(hostile.URL, ":"):]
	for _, origin := range []string{elsewhere, hostile.URL} {
		do("open the page", chromedp.Navigate(origin))
		read, err := chromedp.Run(ctx, chromedp.Evaluate[map[string]string]("attack()", chromedp.EvalAwaitPromise))
		if err != nil {
			t.Fatal(err)
		}
		if len(read) < 60 {
			t.Errorf("from %s only %d things were tried", origin, len(read))
		}
		for what, got := range read {
			if got != "" {
				t.Errorf("from %s, %s: %.200q", origin, what, got)
			}
		}
		t.Logf("from %s: %d ways tried", origin, len(read))
		// And the whole window, by forms and by address.
		for i := range 8 {
			do("open the page", chromedp.Navigate(origin))
			if _, err := chromedp.RunResponse(ctx, chromedp.Func(func(ctx context.Context, target *chromedp.Target) error {
				_, err := chromedp.Evaluate[any](fmt.Sprintf("setTimeout(() => leave(%d)); 0", i))(ctx, target)
				return err
			})); err != nil {
				t.Logf("leaving by %d: %v", i, err)
			}
		}
	}
	time.Sleep(time.Second) // for what a page that runs would still send

	hostile.mu.Lock()
	for _, loot := range hostile.loot {
		t.Errorf("something was sent out: %.300s", loot)
	}
	hostile.mu.Unlock()
	all := everything(t, port)
	if i := strings.Index(all, hostileMark); i >= 0 {
		t.Errorf("something was written: %.400s", all[max(0, i-200):])
	}
	for _, kept := range []string{secretMark, "secret.txt", "table Private"} {
		if !strings.Contains(all, kept) {
			t.Errorf("%s is gone", kept)
		}
	}
	if got := office(); got != before {
		t.Errorf("the person was led from %s to %s", before, got)
	}
}
