package opsweb

import (
	"net/http"
	"time"

	"pressroom/internal/ops"
	"pressroom/internal/web"
)

// searchRow is the search index as it is shown.
type searchRow struct {
	ops.SearchIndex
	Size   string
	Behind string // "" if it has all that was published
	Built  string // how long ago; "" for never
	Late   bool
}

// searchLate is for how long a reader may look in vain for what was published
// before somebody should know.
const searchLate = time.Minute

func (p *pages) searchRow(r *http.Request, x ops.SearchIndex, now time.Time) searchRow {
	row := searchRow{SearchIndex: x, Size: size(x.Bytes), Built: p.ago(r, x.Built, now), Late: x.Behind > searchLate}
	if x.Behind > 0 {
		row.Behind = p.span(r, x.Behind)
	}
	return row
}

// searchTroubles tells of an index that does not get what is published.
func (p *pages) searchTroubles(r *http.Request, all []ops.SearchIndex, add func(tone web.Tone, path, detail, key string, args ...any)) {
	for _, x := range all {
		switch {
		case x.Problem != "":
			add(web.Warn, x.Path, x.Problem, "ops.trouble.search")
		case x.Behind > searchLate:
			add(web.Warn, x.Path, "", "ops.trouble.search.late", p.span(r, x.Behind))
		}
	}
}
