package newswire

import (
	"context"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"pressroom/model"
)

// Version is an article as it was before its source changed it.
type Version struct {
	ArticleID string `dynamodbav:"articleId" json:"articleId"`
	// FetchedAt and ReplacedAt are when it was first seen, and when the next one was.
	FetchedAt  string `dynamodbav:"fetchedAt" json:"fetchedAt"`
	ReplacedAt string `dynamodbav:"replacedAt" json:"replacedAt"`
	Title      string `dynamodbav:"title" json:"title"`
	BodyPlain  string `dynamodbav:"bodyPlain" json:"bodyPlain"` // its first 10,000 characters
	BodyHash   string `dynamodbav:"bodyHash" json:"-"`
}

// versionOf is an article as a version of itself that is replaced.
func versionOf(a *Article, at string) *Version {
	return &Version{ArticleID: a.ArticleID, FetchedAt: a.FetchedAt, ReplacedAt: at, Title: a.Title, BodyPlain: a.BodyPlain, BodyHash: a.BodyHash}
}

// maxVersions is how many versions are told.
const maxVersions = 50

// Versions returns what an article was before, the latest first, at most 50. They are
// for staff: together they show more of a text than its readers may see.
func (d *Desk) Versions(ctx context.Context, article string) ([]Version, error) {
	page, err := d.versions.Page(ctx, "VersionsOf", model.Values{"articleId": article}, model.PageOptions{Limit: maxVersions})
	return page.Items, told(err, "list versions of %s", article)
}

// Piece is a part of a text that stayed, was removed or was added.
type Piece struct {
	Text           string
	Removed, Added bool
}

// Difference tells how one text became another, paragraph by paragraph. Paragraphs
// that stayed are left out, except one before each that changed.
func Difference(before, after string) [][]Piece {
	old, next := strings.Split(before, "\n\n"), strings.Split(after, "\n\n")
	common := longestCommon(old, next)
	var all [][]Piece
	last := "" // that stayed, and was not told
	i, j := 0, 0
	for k := 0; k <= len(common); k++ {
		endOld, endNext := len(old), len(next)
		if k < len(common) {
			endOld, endNext = common[k][0], common[k][1]
		}
		if last != "" && (i < endOld || j < endNext) {
			all = append(all, []Piece{{Text: last}})
			last = ""
		}
		for ; i < endOld && j < endNext; i, j = i+1, j+1 {
			all = append(all, changed(old[i], next[j]))
		}
		for ; i < endOld; i++ {
			all = append(all, []Piece{{Text: old[i], Removed: true}})
		}
		for ; j < endNext; j++ {
			all = append(all, []Piece{{Text: next[j], Added: true}})
		}
		if k < len(common) {
			last = old[endOld]
			i, j = endOld+1, endNext+1
		}
	}
	return all
}

// longestCommon returns the longest series of paragraphs that both texts have, by
// their places.
func longestCommon(a, b []string) [][2]int {
	length := make([][]int, len(a)+1)
	for i := range length {
		length[i] = make([]int, len(b)+1)
	}
	for i := len(a) - 1; i >= 0; i-- {
		for j := len(b) - 1; j >= 0; j-- {
			if a[i] == b[j] {
				length[i][j] = length[i+1][j+1] + 1
			} else {
				length[i][j] = max(length[i+1][j], length[i][j+1])
			}
		}
	}
	var common [][2]int
	for i, j := 0, 0; i < len(a) && j < len(b); {
		switch {
		case a[i] == b[j]:
			common = append(common, [2]int{i, j})
			i, j = i+1, j+1
		case length[i+1][j] >= length[i][j+1]:
			i++
		default:
			j++
		}
	}
	return common
}

// changed tells how a paragraph changed: what is the same at its begin and at its end
// stayed, up to whole words.
func changed(before, after string) []Piece {
	head := 0
	for head < len(before) && head < len(after) && before[head] == after[head] {
		head++
	}
	for !between(before, head) || !between(after, head) {
		head--
	}
	tail := 0
	for tail < min(len(before), len(after))-head && before[len(before)-1-tail] == after[len(after)-1-tail] {
		tail++
	}
	for !between(before, len(before)-tail) || !between(after, len(after)-tail) {
		tail--
	}
	pieces := []Piece{
		{Text: before[:head]}, {Text: before[head : len(before)-tail], Removed: true},
		{Text: after[head : len(after)-tail], Added: true}, {Text: before[len(before)-tail:]},
	}
	return slices.DeleteFunc(pieces, func(p Piece) bool { return p.Text == "" })
}

// between reports whether a place in a text is between two words, or two characters of
// a script without spaces.
func between(text string, at int) bool {
	if at == 0 || at == len(text) {
		return true
	}
	last, _ := utf8.DecodeLastRuneInString(text[:at])
	next, _ := utf8.DecodeRuneInString(text[at:])
	spaced := func(r rune) bool { return r < 0x0e00 && (unicode.IsLetter(r) || unicode.IsDigit(r)) }
	return utf8.RuneStart(text[at]) && (!spaced(last) || !spaced(next))
}
