package newswire

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"sync"
	"time"

	"pressroom/internal/desk/newswire/page"
	"pressroom/internal/errs"
	"pressroom/internal/rights"
	"pressroom/internal/rights/robots"
	"pressroom/internal/story"
	"pressroom/model"
)

// signalsAge is how long what a site says is taken for true. It is less than the day
// within which a change takes effect on what is published.
const signalsAge = 20 * time.Hour

// maxLicences is how many licences a site may name.
const maxLicences = 5

// Signals are what a site says about the use of its pages.
type Signals struct {
	SiteID string        `dynamodbav:"siteId" json:"siteId"`
	Said   []rights.Said `dynamodbav:"said" json:"said"`
	ReadAt string        `dynamodbav:"readAt,omitempty" json:"readAt"` // "" if they never were
	// Print is of all that the site's articles were last brought in line with.
	Print string `dynamodbav:"print" json:"-"`
	// Ended is the last day of the permission whose end the articles follow.
	Ended string `dynamodbav:"ended,omitempty" json:"-"`
}

// SignalsOf returns what a site said last; nothing if it was never asked.
func (d *Desk) SignalsOf(ctx context.Context, site string) (Signals, error) {
	s, err := d.signals.Get(ctx, siteKey(site))
	if errors.Is(err, model.ErrNotFound) {
		return Signals{SiteID: site}, nil
	}
	return s, told(err, "get signals of %s", site)
}

// due reports whether a site is to be asked again.
func (s *Signals) due(now time.Time) bool { return now.Sub(timeOf(s.ReadAt)) >= signalsAge }

// listen brings what is known of the site's signals up to date before its pages are
// fetched. A site that cannot be asked has said what it said last.
func (c *crawl) listen(ctx context.Context) (err error) {
	if c.signals, err = c.desk.SignalsOf(ctx, c.site.SiteID); err != nil || !c.signals.due(c.desk.now()) {
		return err
	}
	read, err := c.desk.readSignals(ctx, c.robots, &c.site, c.signals)
	var silent *errSilent
	if errors.As(err, &silent) {
		c.log.info("signals", LogLine{URL: c.site.BaseURL, Detail: silent.Error()})
		return nil
	}
	if err == nil {
		c.signals = read
	}
	return err
}

// Ruling is something that can be done with an article, whether it may be done, and
// what decided.
type Ruling struct {
	Use     rights.Use    `json:"use"`
	Allowed bool          `json:"allowed"`
	Because rights.Reason `json:"because"`
}

// RulingsOf tells a decision use by use.
func RulingsOf(d rights.Decision) []Ruling {
	var all []Ruling
	for _, u := range rights.Uses() {
		all = append(all, Ruling{u, d.May(u), d.Why(u)})
	}
	return all
}

// Rulings tells what may be done with a page of a site that says nothing itself, as
// the site's front page.
func (d *Desk) Rulings(site *Site, s *Signals) []Ruling {
	path := must(url.Parse(site.BaseURL)).RequestURI()
	return RulingsOf(rights.Decide(site.Basis, rights.Apply(s.Said, path), d.now()))
}

// errSilent is a site that could not be asked.
type errSilent struct{ error }

func (e *errSilent) Unwrap() error { return e.error }

// ReadSignals asks a site what it says about the use of its pages, and brings its
// articles in line with that. A site that cannot be asked is errs.Unavailable, and
// what it said last stays in force.
func (d *Desk) ReadSignals(ctx context.Context, id string) (Signals, error) {
	site, err := d.GetSite(ctx, id)
	if err != nil {
		return Signals{}, err
	}
	before, err := d.SignalsOf(ctx, id)
	if err != nil {
		return before, err
	}
	now, err := d.readSignals(ctx, newRobots(d), &site, before)
	var silent *errSilent
	if errors.As(err, &silent) {
		err = errs.Wrap(err, errs.Unavailable, "What %s says about the use of its pages cannot be read: %v", site.Name, err)
	}
	return now, err
}

// ReadSignalsDue asks all sites that were not asked lately, several at once, and
// returns how many answered, and how many could not be asked and are asked again next
// time. Articles whose permission has run out follow their site's basis again, whether
// the site answers or not.
func (d *Desk) ReadSignalsDue(ctx context.Context) (asked, silent int, err error) {
	sites, err := d.Sites(ctx, "")
	if err != nil {
		return 0, 0, err
	}
	ids, bySite := make([]string, len(sites)), make(map[string]*Site, len(sites))
	for i := range sites {
		ids[i], bySite[sites[i].SiteID] = sites[i].SiteID, &sites[i]
	}
	due, err := each(ids, func(id string) (answered bool, err error) {
		before, err := d.SignalsOf(ctx, id)
		if s := bySite[id]; err == nil && s.Basis.Ended(d.now()) && before.Ended != s.Basis.Until {
			if err = d.bringAlong(ctx, s); err == nil {
				before.Ended = s.Basis.Until
				err = told(d.signals.Put(ctx, &before), "record the end of the permission of %s", id)
			}
		}
		if err == nil && !before.due(d.now()) {
			err = errs.NotFound // nothing is to be done
		}
		if err == nil {
			_, err = d.ReadSignals(ctx, id)
		}
		var later *errLater
		if err != nil && errs.KindOf(err) == errs.Unavailable || errors.As(err, &later) {
			d.opt.Log.Warn("newswire: a site cannot be asked what it says about the use of its pages", "site", id, "error", err)
			return false, nil
		}
		return err == nil, err
	})
	for _, answered := range due {
		if answered {
			asked++
		} else {
			silent++
		}
	}
	return asked, silent, err
}

// readSignals reads, applies and records the signals of a site. They are recorded
// when they are applied, so that one who dies between the two begins again.
func (d *Desk) readSignals(ctx context.Context, cache *robotsFor, site *Site, before Signals) (Signals, error) {
	said, group, err := d.readWords(ctx, cache, site, before.Said)
	if err != nil {
		return before, err
	}
	now := Signals{SiteID: site.SiteID, ReadAt: stamp(d.now()), Ended: before.Ended}
	now.Said, _ = rights.Renew(before.Said, said, now.ReadAt)
	force, err := json.Marshal(struct {
		Rules string
		Said  []rights.Said
	}{group.Print(), now.Said})
	if err != nil {
		return before, err
	}
	if now.Print = sum(string(force)); now.Print != before.Print {
		if err := d.bringInLine(ctx, cache, site, now.Said); err != nil {
			return before, err
		}
	}
	return now, told(d.signals.Put(ctx, &now), "record signals of %s", site.SiteID)
}

// bringInLine writes at every article of a site what the site says about it now.
func (d *Desk) bringInLine(ctx context.Context, cache *robotsFor, site *Site, said []rights.Said) error {
	for a, err := range d.articles.All(ctx, "LatestOfSite", siteKey(site.SiteID)) {
		if err != nil {
			return told(err, "bring articles of %s in line", site.SiteID)
		}
		u, err := url.Parse(a.URL)
		if err != nil {
			continue
		}
		rules, err := cache.get(ctx, u, site.interval())
		if ctx.Err() != nil {
			return ctx.Err()
		}
		if err != nil { // an article may stand on a host of its own, such as www
			continue
		}
		now := about(said, rules.For(Agent), u)
		if err := d.resay(ctx, a, now, site.Basis); err != nil {
			return err
		}
	}
	return nil
}

// resay writes at an article what its site says about it, beside what its page said.
func (d *Desk) resay(ctx context.Context, a Article, ofSite []rights.Said, basis rights.Basis) error {
	change := func(a *Article) bool {
		said := slices.DeleteFunc(slices.Clone(a.Said), func(s rights.Said) bool { return !s.Where.OfPage() })
		status, note, pictured := a.Status, a.Note, a.Picture != nil
		var changed bool
		a.Said, changed = rights.Renew(a.Said, append(said, ofSite...), stamp(d.now()))
		d.settle(a, basis)
		return changed || a.Status != status || a.Note != note || pictured && a.Picture == nil
	}
	if copied := a; !change(&copied) {
		return nil
	}
	_, err := d.amend(ctx, a.place(), func(a *Article) { change(a) })
	return told(err, "note signals at article %s", a.ArticleID)
}

// amend changes what is known of an article outside of a fetch of its page. All who do
// so come here. One that is gone is left alone.
func (d *Desk) amend(ctx context.Context, at place, change func(*Article)) (Article, error) {
	for {
		a, err := d.articles.Get(ctx, at.key())
		if errors.Is(err, model.ErrNotFound) {
			return a, nil
		}
		if err != nil {
			return a, err
		}
		before := a.Picture
		change(&a)
		err = story.Transact(ctx, d.db, []model.Piece{d.articles.PutPiece(&a)}, func() ([]model.Piece, error) { return d.tellAs(ctx, &a) })
		if err == nil {
			err = d.removeCopies(ctx, before, a.Picture)
		}
		if !errors.Is(err, model.ErrStale) {
			return a, err
		}
	}
}

// about is what a site says about one address: what restricts something. What robots.txt
// forbids is asked of its rules.
func about(said []rights.Said, group robots.Group, u *url.URL) []rights.Said {
	all := slices.DeleteFunc(rights.Apply(said, u.RequestURI()), func(s rights.Said) bool { return !s.Restricts() || s.Signal == rights.Disallow })
	if ok, because := group.Allowed(u.RequestURI()); !ok {
		all = append(all, disallowed(because, ""))
	}
	return all
}

// readWords asks a site for all that it says about the use of its pages: robots.txt,
// tdmrep.json, and the licences that robots.txt names. One that cannot be asked is an
// errSilent; a single file that cannot be had says what it said before.
func (d *Desk) readWords(ctx context.Context, cache *robotsFor, site *Site, before []rights.Said) ([]rights.Said, robots.Group, error) {
	base, err := url.Parse(site.BaseURL)
	if err != nil {
		return nil, robots.Group{}, err
	}
	rules, err := cache.get(ctx, base, site.interval())
	if err != nil {
		if !stopping(ctx, err) {
			err = &errSilent{err}
		}
		return nil, robots.Group{}, err
	}
	group := rules.For(Agent)
	said, named := rights.Robots(group)
	for _, path := range site.AllowedPaths { // for operators; each article asks the rules
		if ok, because := group.Allowed(path); !ok {
			said = append(said, disallowed(because, path))
		}
	}
	reserved, err := d.readReservations(ctx, cache, base, site, before)
	if err != nil {
		return nil, group, err
	}
	terms, err := d.readLicences(ctx, cache, base, site, named, before)
	return append(append(said, reserved...), terms...), group, err
}

// disallowed is a rule of robots.txt that forbids a path.
func disallowed(because, path string) rights.Said {
	_, pattern, _ := strings.Cut(because, ": ")
	return rights.Said{Signal: rights.Disallow, Value: cutBytes(pattern, 200), Where: rights.InRobots, Path: path}
}

// readReservations reads tdmrep.json. If it is not to be had at the moment, it says
// what it said last.
func (d *Desk) readReservations(ctx context.Context, cache *robotsFor, base *url.URL, site *Site, before []rights.Said) ([]rights.Said, error) {
	file, err := d.fetchFile(ctx, cache, base, "/.well-known/tdmrep.json", site.interval())
	switch {
	case stopping(ctx, err):
		return nil, err
	case err != nil:
		return formerly(before, rights.InTDMFile), nil
	case file == nil:
		return nil, nil
	}
	return rights.TDMFile(file.body), nil
}

// readLicences reads the licences that robots.txt names. If one is not to be had at
// the moment, they say what they said last; nobody knows what those say that were
// never read.
func (d *Desk) readLicences(ctx context.Context, cache *robotsFor, base *url.URL, site *Site, named []string, before []rights.Said) ([]rights.Said, error) {
	var all []rights.Said
	for i, address := range named {
		if i == maxLicences {
			return append(all, rights.Unread(rights.InLicence)), nil
		}
		terms, err := d.readLicence(ctx, cache, base, address, site.interval())
		switch former := formerly(before, rights.InLicence); {
		case stopping(ctx, err):
			return nil, err
		case err != nil && len(former) > 0:
			return former, nil
		case err != nil:
			terms = []rights.Said{rights.Unread(rights.InLicence)}
		}
		all = append(all, terms...)
	}
	return all, nil
}

// formerly is what was said before in one place.
func formerly(said []rights.Said, where rights.Where) []rights.Said {
	return slices.DeleteFunc(slices.Clone(said), func(s rights.Said) bool { return s.Where != where })
}

// stopping reports whether an error is no answer of a site: it is we who stop, or a
// host that asks to come back later.
func stopping(ctx context.Context, err error) bool {
	var later *errLater
	return ctx.Err() != nil || errors.As(err, &later)
}

// readLicence reads an RSL licence. One that is not there was not read.
func (d *Desk) readLicence(ctx context.Context, cache *robotsFor, base *url.URL, address string, interval time.Duration) ([]rights.Said, error) {
	file, err := d.fetchFile(ctx, cache, base, address, interval)
	switch {
	case err != nil:
		return nil, err
	case file == nil:
		return []rights.Said{rights.Unread(rights.InLicence)}, nil
	}
	return rights.ReadRSL(file.body, base.Host), nil
}

// fetchFile asks for a file that is of a site and no page of it, following redirects. It
// returns nil if it is not there, because the host says so or robots.txt forbids to ask.
func (d *Desk) fetchFile(ctx context.Context, cache *robotsFor, base *url.URL, address string, interval time.Duration) (*answerTo, error) {
	u, err := base.Parse(address)
	if err != nil {
		return nil, nil
	}
	for range maxHops + 1 {
		rules, err := cache.get(ctx, u, interval)
		if err != nil {
			return nil, err
		}
		group := rules.For(Agent)
		if ok, _ := group.Allowed(u.RequestURI()); !ok {
			return nil, nil
		}
		a, err := d.ask(ctx, u, max(interval, group.Delay), condition{})
		switch {
		case err != nil:
			return nil, err
		case a.location != nil:
			u = a.location
			continue
		case a.status == http.StatusTooManyRequests || a.status >= 500:
			return nil, fmt.Errorf("status %d", a.status)
		case a.status != http.StatusOK:
			return nil, nil
		}
		return a, nil
	}
	return nil, nil
}

// licences are those that pages name, read once in a run.
type licences struct {
	mu   sync.Mutex
	read map[string][]rights.Said
}

// said is what is said about the use of a page: by its site, its header and itself;
// and whether its links may be followed.
func (c *crawl) said(ctx context.Context, u *url.URL, a *answerTo, doc *page.Page) (said []rights.Said, follow bool, err error) {
	said = about(c.signals.Said, robots.Group{}, u)
	said = append(append(said, a.said...), doc.Said...)
	for _, address := range append(slices.Clone(a.licences), doc.Licences...) {
		terms, err := c.licence(ctx, u, address)
		if err != nil {
			return nil, false, err
		}
		said = append(said, terms...)
	}
	all := len(said)
	said = slices.DeleteFunc(said, func(s rights.Said) bool { return s.Signal == rights.NoFollow })
	return slices.DeleteFunc(said, func(s rights.Said) bool { return !s.Restricts() }), len(said) == all, nil
}

// licence is what a licence that a page names says about the page.
func (c *crawl) licence(ctx context.Context, at *url.URL, address string) ([]rights.Said, error) {
	c.licences.mu.Lock()
	defer c.licences.mu.Unlock()
	terms, known := c.licences.read[address]
	switch {
	case known:
	case len(c.licences.read) >= maxLicences:
		terms = []rights.Said{rights.Unread(rights.InMeta)}
	default:
		var err error
		terms, err = c.desk.readLicence(ctx, c.robots, at, address, c.site.interval())
		if stopping(ctx, err) {
			return nil, err
		}
		if err != nil {
			terms = []rights.Said{rights.Unread(rights.InMeta)}
		}
		if c.licences.read == nil {
			c.licences.read = map[string][]rights.Said{}
		}
		c.licences.read[address] = terms
	}
	terms = rights.Apply(terms, at.RequestURI())
	for i := range terms {
		terms[i].Where = rights.InMeta // the page said it
	}
	return terms, nil
}

// hide notes at a known article that its page is not to be kept any more.
func (c *crawl) hide(ctx context.Context, p pageItem, said []rights.Said) error {
	if !p.Kept {
		return nil
	}
	guard, err := c.desk.urls.Get(ctx, model.Values{"urlHash": p.URLHash})
	if errors.Is(err, model.ErrNotFound) {
		return nil
	}
	if err == nil && guard.SiteID == c.site.SiteID {
		_, err = c.desk.amend(ctx, guard.place, func(a *Article) {
			a.Said, _ = rights.Renew(a.Said, said, stamp(c.desk.now()))
			c.desk.settle(a, c.site.Basis)
		})
	}
	return told(err, "hide %s", p.URL)
}

// refusal is how the note of an article begins that its source lets nobody summarise.
const refusal = "The source does not let machines summarise this: "

func isRefused(note string) bool { return strings.HasPrefix(note, refusal) }

// settle has an article wait for a summary, or for none, and lose its picture, as its
// source allows.
func (d *Desk) settle(a *Article, basis rights.Basis) {
	decision := rights.Decide(basis, a.Said, d.now())
	if !decision.May(rights.Picture) {
		a.Picture = nil
	}
	switch {
	case !decision.May(rights.Summarise) && (a.Status == Pending || a.Status == SummaryFailed && a.Note != tooShort):
		a.Status, a.Note = SummaryFailed, cutBytes(refusal+decision.Why(rights.Summarise).String(), noteMax)
	case decision.May(rights.Summarise) && isRefused(a.Note):
		a.Status, a.Note = Pending, ""
	}
}

// refused reports whether an article must not be summarised; it is settled then, and
// not tried again.
func (d *Desk) refused(ctx context.Context, a *Article) (bool, error) {
	site, err := d.GetSite(ctx, a.SiteID)
	if err != nil && !errors.Is(err, errs.NotFound) {
		return false, err
	}
	if d.decide(&site, a).May(rights.Summarise) {
		return false, nil
	}
	now, err := d.amend(ctx, a.place(), func(a *Article) { d.settle(a, site.Basis) })
	if err == nil {
		*a = now
		err = d.retries.Delete(ctx, retryKey(FailedSummary, a.ArticleID))
	}
	return true, told(err, "settle article %s", a.ArticleID)
}
