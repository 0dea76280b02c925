package blogweb_test

import (
	"fmt"
	"net/http"
	"strings"
	"testing"

	"pressroom/internal/auth"
	"pressroom/internal/web/webtest"
)

func TestPaste(t *testing.T) {
	r := open(t)
	reply := r.sendJSON(t, auth.Author, "/office/blog/paste", map[string]string{"html": "<h2>A</h2><script>alert(1)</script><pre>code</pre>", "text": "A"}).Want(http.StatusOK)
	if want := `{"blocks":[{"type":"text","content":"## A","layout":"full"},{"type":"code","content":"code","layout":"full"}]}`; reply.Body != want {
		t.Errorf("pasted: %s", reply.Body)
	}
	r.sendJSON(t, auth.Author, "/office/blog/paste", "no object").Want(http.StatusBadRequest)
}

// clip pastes into a block as a browser does.
func clip(b *webtest.Browser, n int, html, text string) {
	webtest.Eval[bool](b, fmt.Sprintf(`(() => { const data = new DataTransfer(); data.setData("text/html", %q); data.setData("text/plain", %q); const at = document.querySelector(%q); at.focus(); at.dispatchEvent(new ClipboardEvent("paste", {clipboardData: data, bubbles: true, cancelable: true})); return true; })()`, html, text, blockAt(n, "content")))
}

// What is pasted becomes blocks at the cursor, and can be taken back.
func TestBrowserPaste(t *testing.T) {
	r := open(t)
	b := webtest.OpenBrowser(t, r.Site)
	r.signIn(t, b, "ann", auth.Author)
	b.Go("/office/blog/new")
	b.Type(blockAt(1, "content"), "Before.After.")
	webtest.Eval[bool](b, fmt.Sprintf(`(document.querySelector(%q).setSelectionRange(7, 7), true)`, blockAt(1, "content")))
	clip(b, 1, `<h2>Head</h2><p>Some <b>words</b>.</p><pre>code</pre><script>window.hurt = 1</script><img src=x onerror="window.hurt = 1">`, "Head Some words. code")
	all := func() string {
		return webtest.Eval[string](b, `[...document.querySelectorAll("[data-blocks] > li")].map((e) => e.dataset.kind + ":" + e.querySelector('[name="b.content"]').value.replace(/\s+/g, " ")).join("|")`)
	}
	const want = "text:Before.|text:## Head Some **words**.|code:code|text:After."
	eventually(t, "the paste is blocks", func() bool { return strings.Count(all(), "|") == 3 })
	if got := all(); got != want {
		t.Errorf("pasted: %q", got)
	}
	if webtest.Eval[bool](b, `window.hurt === 1`) {
		t.Error("the clipboard ran")
	}
	b.Axe("the editor after a paste")
	b.Shot("blog-editor-paste")
	b.Click("[data-undo] button")
	if got := all(); got != "text:Before.After." {
		t.Errorf("taken back: %q", got)
	}
	// Words alone stay in their place.
	webtest.Eval[bool](b, fmt.Sprintf(`(document.querySelector(%q).setSelectionRange(7, 7), true)`, blockAt(1, "content")))
	clip(b, 1, `<p>and <i>then</i></p>`, "and then")
	eventually(t, "the words are in their place", func() bool { return all() == "text:Before.and *then*After." })
	// Markdown without HTML, into an empty block.
	b.Click(`[data-add="text"]`)
	clip(b, 2, "", "> Said.\n\nDone.")
	eventually(t, "the Markdown is blocks", func() bool { return all() == "text:Before.and *then*After.|quote:Said.|text:Done." })
	// The server cannot be asked: the words are there all the same.
	webtest.Eval[bool](b, `(window.fetch = () => Promise.reject(new Error("offline")), true)`)
	clip(b, 3, "<p>More</p><pre>x</pre>", "More x")
	eventually(t, "the words are pasted", func() bool { return strings.HasSuffix(all(), "Done.More x") })
}
