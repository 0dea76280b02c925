package erase

import (
	"errors"
	"net/url"
	"strings"
	"testing"

	"pressroom/internal/errs"
)

func mark(t testing.TB, text string) Mark {
	t.Helper()
	m, err := NewMark(text)
	if err != nil {
		t.Fatal(err)
	}
	return m
}

func TestRedact(t *testing.T) {
	marks := Look(mark(t, "山田 太郎"), mark(t, "Jane Q. Doe"), mark(t, "ジェーン・ドゥ"))
	for text, want := range map[string]string{
		"":     "",
		"山田太郎": "〔削除〕",
		"昨日、山田　太郎氏は山田太郎だと述べた。":                        "昨日、〔削除〕氏は〔削除〕だと述べた。",
		"山田次郎と山田太朗":                                   "山田次郎と山田太朗",
		"JANE Q DOE said":                             "[erased] said",
		"Ｊａｎｅ Ｑ. Ｄｏｅ said":                            "[erased] said",
		"jane-q-doe":                                  "[erased]",
		"Mary-Jane Q. Doe":                            "Mary-[erased]",
		"Janeq. Doerr":                                "Janeq. Doerr",
		"MaryJane Q. Doe":                             "MaryJane Q. Doe",
		"Jane\u00a0Q.\nDoe":                           "[erased]",
		"ｼﾞｪｰﾝ･ﾄﾞｩ":                                   "〔削除〕",
		"シ\u3099ェーント\u3099ゥさん":                        "〔削除〕さん",
		"see /p/" + url.PathEscape("山田太郎") + "/x end": "see 〔削除〕 end",
		"&#23665;&#30000;太郎 &amp; Co":                 "〔削除〕 & Co",
		"100% sure & fine":                            "100% sure & fine",
		"\xff山田太郎\xfe":                                "\xff〔削除〕\xfe",
	} {
		if got := marks.Redact(text); got != want {
			t.Errorf("%q becomes %q, not %q", text, got, want)
		}
		if marks.In(text) != (text != want) {
			t.Errorf("%q: In is %v", text, text == want)
		}
	}
}

// A mark says nothing of the text but its length; another mark of the same text
// differs, and both find it.
func TestMark(t *testing.T) {
	a, b := mark(t, "山田太郎"), mark(t, "山田 太郎")
	if a == b || a.Length != 4 || !a.Same("山田　太郎") || a.Same("山田次郎") {
		t.Errorf("%+v, %+v", a, b)
	}
	for _, short := range []string{"", "林", "Li", "A. B", "・・・・", strings.Repeat("長", maxMark+1)} {
		if _, err := NewMark(short); !errors.Is(err, errs.Invalid) {
			t.Errorf("%q: %v", short, err)
		}
	}
	if Look(Mark{}).In("anything") || (*Marks)(nil).In("x") {
		t.Error("an empty mark finds something")
	}
}

func FuzzRedact(f *testing.F) {
	f.Add("山田太郎", "昨日、山田　太郎氏")
	f.Add("Jane Doe", "jane%20doe &#106;ane doe")
	f.Fuzz(func(t *testing.T, name, text string) {
		m, err := NewMark(name)
		if err != nil || m.Same("erased") || m.Same("削除") {
			return
		}
		marks := Look(m)
		if got := marks.Redact("「" + name + "」"); strings.Contains(got, name) {
			t.Errorf("%q is left in %q", name, got)
		}
		marks.Redact(text)
	})
}

func BenchmarkRedact(b *testing.B) {
	marks := Look(mark(b, "山田太郎"), mark(b, "Jane Doe"))
	for name, text := range map[string]string{"japanese": strings.Repeat("政府は予算案を国会に提出した。", 100), "english": strings.Repeat("The council agreed on a budget. ", 100)} {
		b.Run(name, func(b *testing.B) {
			b.SetBytes(int64(len(text)))
			for b.Loop() {
				marks.Redact(text)
			}
		})
	}
}
