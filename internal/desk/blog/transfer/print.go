package transfer

import (
	"fmt"
	"io"
	"strings"
)

// Print writes a report for people: the counts, what each thing becomes, and each loss.
// What is here just so is counted and not listed.
func (r *Report) Print(w io.Writer) error {
	var b strings.Builder
	c := r.Counts
	if r.Preview {
		b.WriteString("Preview: nothing was written.\n")
	}
	fmt.Fprintf(&b, "%d posts, %d pages, %d pictures, %d tags, %d authors, %d old addresses\n", c.Posts, c.Pages, c.Media, c.Tags, c.Authors, c.Redirects)
	fmt.Fprintf(&b, "posts and pages: %d made, %d changed, %d the same, %d kept, %d left out, %d failed\n", c.Made, c.Changed, c.Same, c.Kept, c.LeftOut, c.Failed)
	fmt.Fprintf(&b, "pictures: %d made, %d the same, %d failed\n", c.MediaMade, c.MediaSame, c.MediaFailed)
	for _, e := range r.Entries {
		if e.What == Same && len(e.Losses) == 0 {
			continue
		}
		fmt.Fprintf(&b, "%-8s %s: %s", e.What, e.Kind, cutName(e.Title))
		if e.Why != "" {
			fmt.Fprintf(&b, " (%s)", e.Why)
		}
		b.WriteByte('\n')
		for _, l := range e.Losses {
			fmt.Fprintf(&b, "           lost: %s\n", l)
		}
	}
	_, err := io.WriteString(w, b.String())
	return err
}
