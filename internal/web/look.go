package web

import (
	"context"
	"fmt"
	"image/color"
	"math"
	"net/http"
	"slices"
	"strings"
	"time"

	"golang.org/x/text/language"

	"pressroom/internal/auth"
	"pressroom/internal/errs"
	"pressroom/internal/front"
	"pressroom/internal/story"
)

// look is the paper as pages show it: what people set, over what the program has.
type look struct {
	story.Paper
	zone      *time.Location
	languages []string
	matcher   language.Matcher
}

// lookFor is how long the settings are kept between two reads. They are gone with the
// write that changes them; where nobody hears of writes they are read for each request.
const lookFor = time.Minute

// refresh reads the paper's settings for a request. Whatever begins after a change was
// saved, in whichever process, shows it. If they cannot be read, the last ones stay.
func (s *Site) refresh(ctx context.Context) {
	if s.o.Stories == nil {
		return
	}
	var failed error
	read := func(ctx context.Context) (story.Paper, bool) {
		p, err := s.o.Stories.Paper(ctx)
		failed = err
		return p, err == nil
	}
	p, _, ok, err := s.papers.Get(ctx, "", read)
	if err == nil && !ok && failed == nil {
		p, ok = read(ctx)
	}
	if !ok {
		if failed != nil && ctx.Err() == nil {
			s.o.Log.ErrorContext(ctx, "the paper's settings are not to be had", "error", failed)
		}
		return
	}
	for {
		old := s.look.Load()
		if p.Version <= old.Version {
			return
		}
		if s.look.CompareAndSwap(old, s.lookOf(p)) {
			return
		}
	}
}

// lookOf works out what pages need of the settings. What this program does not know of
// them it leaves out.
func (s *Site) lookOf(p story.Paper) *look {
	l := &look{Paper: p, zone: s.o.Location}
	if p.Name == "" {
		l.Name = s.o.Name
	}
	if zone, err := time.LoadLocation(p.Zone); err == nil && p.Zone != "" {
		l.zone = zone
	}
	for _, lang := range p.Languages {
		if known(lang) != "" && !slices.Contains(l.languages, lang) {
			l.languages = append(l.languages, lang)
		}
	}
	if l.languages == nil {
		l.languages = Languages
	}
	var tags []language.Tag
	for _, lang := range l.languages {
		tags = append(tags, language.Make(lang))
	}
	l.matcher = language.NewMatcher(tags)
	return l
}

// Name is the paper's.
func (s *Site) Name() string { return s.look.Load().Name }

// Location is the paper's time zone.
func (s *Site) Location() *time.Location { return s.look.Load().zone }

// Shown are the languages that pages are shown in, the default first.
func (s *Site) Shown() []string { return s.look.Load().languages }

// description says in a language what the paper is.
func (s *Site) description(lang string) string {
	if text := s.look.Load().Descriptions[lang]; text != "" {
		return text
	}
	return s.text(lang, "home.description")
}

// Shown are the languages that the reader can choose from.
func (v *View) Shown() []string { return v.site.Shown() }

// Logo is the address of the paper's logo, and its size; nil without one.
func (v *View) Logo() *Logo {
	l := v.site.look.Load().Logo
	if l.Digest == "" {
		return nil
	}
	return &Logo{logoPath + l.Digest, l.Width, l.Height}
}

// Logo is a picture that stands for the paper.
type Logo struct {
	Path          string
	Width, Height int
}

// Accent is the address of the style sheet with the paper's colour; "" if it has the
// program's.
func (v *View) Accent() string {
	if accent := v.site.look.Load().Accent; accent != "" {
		return accentPath + strings.TrimPrefix(accent, "#") + ".css"
	}
	return ""
}

// Where logo and colour are served: under names that change with their content.
const (
	logoPath   = "/paper/logo/"
	accentPath = "/paper/accent/"
)

func (s *Site) serveLogo(w http.ResponseWriter, r *http.Request) error {
	digest := r.PathValue("digest")
	data, err := s.o.Stories.LogoData(r.Context(), digest)
	if err != nil {
		return err
	}
	w.Header().Set("Content-Type", http.DetectContentType(data)) // a PNG or JPEG of our own making
	w.Header().Set("Cache-Control", "public, max-age=31536000, immutable")
	return send(w, r, http.StatusOK, data)
}

func (s *Site) serveAccent(w http.ResponseWriter, r *http.Request) error {
	hex, ok := strings.CutSuffix(r.PathValue("file"), ".css")
	light, err := parseColour("#" + hex)
	if !ok || err != nil || "#"+hex != s.look.Load().Accent {
		return errs.NotFound
	}
	w.Header().Set("Content-Type", types[".css"])
	w.Header().Set("Cache-Control", "public, max-age=31536000, immutable")
	return send(w, r, http.StatusOK, fmt.Appendf(nil, ":root { --accent: light-dark(%s, %s); --on-accent: light-dark(#ffffff, #161614); }\n", hexOf(light), hexOf(inTheDark(light))))
}

// defaultAccent is the colour of the shell's tokens.
var defaultAccent = hexOf(accent)

// The surfaces on which the accent is read as text: the darkest of the light theme and
// the lightest of the dark one, as in the shell's tokens.
var (
	lightTint = color.RGBA{0xf2, 0xf0, 0xe8, 0xff}
	darkTint  = color.RGBA{0x26, 0x26, 0x22, 0xff}
)

// legible is the contrast that text needs (WCAG 2, level AA).
const legible = 4.5

// inTheDark is a colour as light as it must be to be read on a dark page.
func inTheDark(c color.RGBA) color.RGBA {
	for contrast(c, darkTint) < legible {
		lighter := func(v uint8) uint8 { return v + uint8(math.Ceil(float64(255-v)/16)) }
		c.R, c.G, c.B = lighter(c.R), lighter(c.G), lighter(c.B)
	}
	return c
}

// parseColour reads #rrggbb.
func parseColour(text string) (color.RGBA, error) {
	c := color.RGBA{A: 0xff}
	if len(text) != 7 || strings.Trim(text[1:], "0123456789abcdef") != "" {
		return c, fmt.Errorf("%q is not a colour such as %s", text, defaultAccent)
	}
	_, err := fmt.Sscanf(text, "#%02x%02x%02x", &c.R, &c.G, &c.B)
	return c, err
}

func hexOf(c color.RGBA) string { return fmt.Sprintf("#%02x%02x%02x", c.R, c.G, c.B) }

// contrast is that of two colours, 1 to 21, as WCAG 2 defines it.
func contrast(a, b color.RGBA) float64 {
	x, y := luminance(a), luminance(b)
	return (max(x, y) + 0.05) / (min(x, y) + 0.05)
}

func luminance(c color.RGBA) float64 {
	linear := func(v uint8) float64 {
		s := float64(v) / 255
		if s <= 0.04045 {
			return s / 12.92
		}
		return math.Pow((s+0.055)/1.055, 2.4)
	}
	return 0.2126*linear(c.R) + 0.7152*linear(c.G) + 0.0722*linear(c.B)
}

// paperRoutes registers what the paper's settings need.
func (s *Site) paperRoutes() {
	s.Get(logoPath+"{digest}", auth.Everyone, s.serveLogo)
	s.Get(accentPath+"{file}", auth.Everyone, s.serveAccent)
	s.Get("/office/paper", auth.Operator, s.showPaper)
	s.Route(front.Route{Pattern: "POST /office/paper", Access: auth.Operator, MaxBody: maxPaperForm, AtOnce: 2}, s.savePaper)
}
