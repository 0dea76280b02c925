package webtest

import (
	"context"
	"fmt"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/chromedp/chromedp"
)

// What a browser test needs from outside; .ci/browser installs and sets them.
const (
	chromiumVar  = "PRESSROOM_CHROMIUM"  // the browser's executable
	axeVar       = "PRESSROOM_AXE"       // axe.min.js of the npm package axe-core
	artifactsVar = "PRESSROOM_ARTIFACTS" // where pictures are kept; a temporary directory if unset
)

// Sizes of the screens that pages are looked at on.
const (
	PhoneWidth, PhoneHeight     = 390, 844
	DesktopWidth, DesktopHeight = 1280, 900
)

// stepLimit is how long one step in the browser may take; only a broken page comes
// near it.
const stepLimit = 5 * time.Minute

// Browser is a real Chromium on a site that is served on loopback.
type Browser struct {
	// URL is where the site is.
	URL string

	t   testing.TB
	ctx context.Context
	axe string
}

// OpenBrowser serves the site and starts a browser on it; both end with the test.
// It skips the test, loudly, where there is no browser or no checker.
func OpenBrowser(t testing.TB, s *Site) *Browser {
	t.Helper()
	chromium, axe := os.Getenv(chromiumVar), os.Getenv(axeVar)
	if chromium == "" || axe == "" {
		t.Skipf("SKIPPED: no browser test without $%s and $%s; .ci/run browser sets both", chromiumVar, axeVar)
	}
	script, err := os.ReadFile(axe)
	if err != nil {
		t.Fatal(err)
	}
	server := httptest.NewServer(s.Mux)
	t.Cleanup(server.Close)
	// By name, because passkeys and service workers belong to names.
	at := strings.Replace(server.URL, "127.0.0.1", "localhost", 1)
	options := append(chromedp.DefaultExecAllocatorOptions[:], chromedp.ExecPath(chromium), chromedp.NoSandbox, chromedp.DisableGPU)
	allocator, stopAllocator := chromedp.NewExecAllocator(context.Background(), options...)
	ctx, stop := chromedp.NewContext(allocator)
	t.Cleanup(func() { stop(); stopAllocator() })
	b := &Browser{URL: at, t: t, ctx: ctx, axe: string(script)}
	if err := chromedp.Do(ctx, chromedp.EmulateViewport(DesktopWidth, DesktopHeight)); err != nil {
		t.Fatalf("start %s: %v", chromium, err)
	}
	return b
}

// Phone makes the window a phone's.
func (b *Browser) Phone() {
	b.t.Helper()
	b.do("phone", chromedp.EmulateViewport(PhoneWidth, PhoneHeight, chromedp.EmulateScale(2)))
}

// Desktop makes the window a desktop's.
func (b *Browser) Desktop() {
	b.t.Helper()
	b.do("desktop", chromedp.EmulateViewport(DesktopWidth, DesktopHeight))
}

func (b *Browser) do(what string, steps ...chromedp.Action[chromedp.Void]) {
	b.t.Helper()
	ctx, cancel := context.WithTimeout(b.ctx, stepLimit)
	defer cancel()
	if err := chromedp.Do(ctx, steps...); err != nil {
		b.t.Fatalf("%s: %v", what, err)
	}
}

// Go loads a page of the site.
func (b *Browser) Go(path string) {
	b.t.Helper()
	b.do("go to "+path, chromedp.Navigate(b.URL+path))
}

// Type writes into an input.
func (b *Browser) Type(selector, text string) {
	b.t.Helper()
	b.do("type into "+selector, chromedp.SendKeys(selector, text))
}

// Keys presses keys, wherever the focus is.
func (b *Browser) Keys(keys string) {
	b.t.Helper()
	b.do("press "+keys, chromedp.KeyEvent(keys))
}

// KeysFollow presses keys that lead to a page, and waits for it.
func (b *Browser) KeysFollow(keys string) {
	b.t.Helper()
	ctx, cancel := context.WithTimeout(b.ctx, stepLimit)
	defer cancel()
	if _, err := chromedp.RunResponse(ctx, chromedp.KeyEvent(keys)); err != nil {
		b.t.Fatalf("press %q: %v", keys, err)
	}
}

// Click clicks on what stays on the page.
func (b *Browser) Click(selector string) {
	b.t.Helper()
	b.do("click "+selector, chromedp.Click(selector))
}

// Follow clicks on what leads to a page, and waits for it.
func (b *Browser) Follow(selector string) {
	b.t.Helper()
	ctx, cancel := context.WithTimeout(b.ctx, stepLimit)
	defer cancel()
	if _, err := chromedp.RunResponse(ctx, chromedp.Click(selector)); err != nil {
		b.t.Fatalf("follow %s: %v", selector, err)
	}
}

// Eval returns what an expression is worth in the page; promises are awaited.
func Eval[T any](b *Browser, expression string) T {
	b.t.Helper()
	ctx, cancel := context.WithTimeout(b.ctx, stepLimit)
	defer cancel()
	value, err := chromedp.Run(ctx, chromedp.Evaluate[T](expression, chromedp.EvalAwaitPromise))
	for range 20 {
		// A page that reloads itself answers when it is there again.
		if err == nil || !strings.Contains(err.Error(), "navigated or closed") {
			break
		}
		time.Sleep(50 * time.Millisecond)
		value, err = chromedp.Run(ctx, chromedp.Evaluate[T](expression, chromedp.EvalAwaitPromise))
	}
	if err != nil {
		b.t.Fatalf("evaluate %.80s: %v", expression, err)
	}
	return value
}

// Path returns the path and query of the page.
func (b *Browser) Path() string {
	b.t.Helper()
	return Eval[string](b, "location.pathname + location.search")
}

// Text returns the text that is shown where a selector points.
func (b *Browser) Text(selector string) string {
	b.t.Helper()
	return strings.TrimSpace(Eval[string](b, fmt.Sprintf("document.querySelector(%q)?.innerText ?? ''", selector)))
}

// Shot keeps a picture of the whole page among the artefacts.
func (b *Browser) Shot(name string) {
	b.t.Helper()
	dir := os.Getenv(artifactsVar)
	if dir == "" {
		dir = b.t.TempDir()
	}
	ctx, cancel := context.WithTimeout(b.ctx, stepLimit)
	defer cancel()
	png, err := chromedp.Run(ctx, chromedp.FullScreenshot(100))
	if err != nil {
		b.t.Fatalf("screenshot %s: %v", name, err)
	}
	if err := os.MkdirAll(dir, 0o755); err != nil {
		b.t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(dir, name+".png"), png, 0o644); err != nil {
		b.t.Fatal(err)
	}
}

// finding is what the accessibility checker reports.
type finding struct {
	ID     string `json:"id"`
	Impact string `json:"impact"`
	Help   string `json:"help"`
	Nodes  []struct {
		Target  []any  `json:"target"`
		Summary string `json:"failureSummary"`
	} `json:"nodes"`
}

// Axe checks the page's accessibility and fails the test for every finding that
// is serious or critical; it also fails if the page is wider than its window.
func (b *Browser) Axe(name string) {
	b.t.Helper()
	b.do("load axe", chromedp.Func(func(ctx context.Context, t *chromedp.Target) error {
		_, err := chromedp.Evaluate[any](b.axe+"\n;0")(ctx, t)
		return err
	}))
	found := Eval[[]finding](b, "axe.run(document, {resultTypes: ['violations']}).then(r => r.violations)")
	for _, f := range found {
		if f.Impact != "serious" && f.Impact != "critical" {
			b.t.Logf("%s: axe notes %s (%s): %s", name, f.ID, f.Impact, f.Help)
			continue
		}
		for _, node := range f.Nodes {
			b.t.Errorf("%s: axe finds %s (%s) at %v: %s", name, f.ID, f.Impact, node.Target, node.Summary)
		}
	}
	if over := Eval[int](b, "document.documentElement.scrollWidth - document.documentElement.clientWidth"); over > 0 {
		b.t.Errorf("%s is %d pixels wider than its window", name, over)
	}
}

// Call asks the browser itself for something, by its protocol for developers; result may
// be nil.
func (b *Browser) Call(method string, params map[string]any, result any) {
	b.t.Helper()
	if result == nil {
		result = new(any)
	}
	b.do(method, chromedp.Func(func(ctx context.Context, t *chromedp.Target) error { return t.Call(ctx, method, params, result) }))
}

// Wait waits until an expression holds in the page.
func (b *Browser) Wait(expression string) {
	b.t.Helper()
	for deadline := time.Now().Add(stepLimit); !Eval[bool](b, expression); time.Sleep(20 * time.Millisecond) {
		if time.Now().After(deadline) {
			b.t.Fatalf("it never came to be that %s", expression)
		}
	}
}
