package web

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"io"
	"maps"
	"math"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"

	"pressroom/internal/errs"
	"pressroom/internal/picture"
	"pressroom/internal/story"
)

// Limits of the form.
const (
	maxPaperForm   = picture.MaxBytes + 1<<20
	paperNameMax   = 64  // characters
	descriptionMax = 300 // characters
)

// logoSide is the longest side of a logo, in pixels; smaller ones follow while it has
// too many bytes.
const logoSide = 512

// zones are offered where a time zone is asked for; any other can be typed.
var zones = []string{
	"UTC", "Asia/Tokyo", "Asia/Seoul", "Asia/Shanghai", "Asia/Singapore", "Asia/Kolkata", "Australia/Sydney", "Pacific/Auckland",
	"Europe/London", "Europe/Dublin", "Europe/Paris", "Europe/Berlin", "Europe/Helsinki", "Africa/Nairobi", "Africa/Johannesburg",
	"America/New_York", "America/Chicago", "America/Denver", "America/Los_Angeles", "America/Toronto", "America/Sao_Paulo",
}

// paperForm is what the page of the paper's settings shows.
type paperForm struct {
	story.Paper
	Texts       []describing
	Shown       string // the languages, with commas
	Choices     []Choice
	Zones       []string
	Logo        *Logo
	RemovesLogo bool
}

// describing is the description in a language.
type describing struct{ Lang, Text string }

// languageChoices are the ways to show the paper.
func (s *Site) languageChoices(lang string) []Choice {
	var all []Choice
	for _, value := range []string{"en,ja", "ja,en", "en", "ja"} {
		all = append(all, Choice{value, s.text(lang, "paper.languages."+value)})
	}
	return all
}

func (s *Site) showPaper(w http.ResponseWriter, r *http.Request) error {
	p, err := s.o.Stories.Paper(r.Context())
	if err != nil {
		return err
	}
	return s.paperPage(w, r, p, nil)
}

// paperPage shows the settings as they are, or as somebody tried to set them.
func (s *Site) paperPage(w http.ResponseWriter, r *http.Request, p story.Paper, problem error) error {
	l := s.lookOf(p)
	form := paperForm{Paper: p, Shown: strings.Join(l.languages, ","), Choices: s.languageChoices(s.Lang(r)), Zones: zones, Logo: (&View{site: s}).Logo()}
	form.Name, form.Zone = l.Name, l.zone.String()
	if p.Accent == "" {
		form.Accent = defaultAccent
	}
	for _, lang := range Languages {
		form.Texts = append(form.Texts, describing{lang, p.Descriptions[lang]})
	}
	page := Page{Title: s.T(r, "paper.title"), NoIndex: true, Private: true, Problem: problem, Data: form}
	if problem != nil {
		page.Status = StatusOf(problem)
	}
	return s.Render(w, r, s.shell, "paper", page)
}

// savePaper sets what the form says, over the version that the form was made of.
func (s *Site) savePaper(w http.ResponseWriter, r *http.Request) error {
	if err := r.ParseMultipartForm(maxPaperForm); err != nil {
		if large := new(http.MaxBytesError); errors.As(err, &large) {
			return errs.Wrap(err, errs.TooLarge, "")
		}
		return errs.Wrap(err, errs.Malformed, "")
	}
	p, err := s.o.Stories.Paper(r.Context())
	if err != nil {
		return err
	}
	wrong := s.readPaper(r, &p)
	logo, err := readLogo(r, &p)
	if err != nil {
		wrong = append(wrong, errs.Field{Name: "logo", Message: err.Error()})
	}
	if wrong != nil {
		return s.paperPage(w, r, p, errs.Validation(wrong...))
	}
	if err := s.o.Stories.SetPaper(r.Context(), &p, logo); errors.Is(err, errs.Stale) {
		return s.paperPage(w, r, p, err)
	} else if err != nil {
		return err
	}
	s.Flash(w, r, Good, "paper.saved")
	return s.Redirect(w, r, "/office/paper")
}

// readPaper puts what the form says into the settings, and returns what is wrong with
// it.
func (s *Site) readPaper(r *http.Request, p *story.Paper) (wrong []errs.Field) {
	say := func(name, message string) { wrong = append(wrong, errs.Field{Name: name, Message: message}) }
	var err error
	if p.Version, err = strconv.Atoi(r.PostFormValue("version")); err != nil {
		say("version", "is missing")
	}
	if p.Name = oneLine(r.PostFormValue("name")); p.Name == "" {
		say("name", "is missing")
	} else if utf8.RuneCountInString(p.Name) > paperNameMax {
		say("name", "must have at most "+strconv.Itoa(paperNameMax)+" characters")
	}
	p.Descriptions = maps.Clone(p.Descriptions)
	if p.Descriptions == nil {
		p.Descriptions = map[string]string{}
	}
	for _, lang := range Languages {
		text := oneLine(r.PostFormValue("description-" + lang))
		if utf8.RuneCountInString(text) > descriptionMax {
			say("description-"+lang, "must have at most "+strconv.Itoa(descriptionMax)+" characters")
		}
		if p.Descriptions[lang] = text; text == "" {
			delete(p.Descriptions, lang)
		}
	}
	shown := r.PostFormValue("languages")
	if !slices.ContainsFunc(s.languageChoices(Languages[0]), func(c Choice) bool { return c.Value == shown }) {
		say("languages", "is not of this list")
	} else {
		p.Languages = strings.Split(shown, ",")
	}
	p.Zone = strings.TrimSpace(r.PostFormValue("zone"))
	if _, err := time.LoadLocation(p.Zone); err != nil || p.Zone == "" || p.Zone == "Local" {
		say("zone", "is not a time zone such as Asia/Tokyo")
	}
	p.Accent = strings.ToLower(r.PostFormValue("accent"))
	switch c, err := parseColour(p.Accent); {
	case err != nil:
		say("accent", "is not a colour such as #9a1f1a")
	case p.Accent == defaultAccent:
		p.Accent = ""
	case contrast(c, lightTint) < legible:
		// Cut, not rounded: 4.46 is not 4.5.
		say("accent", "is too light to read: its contrast is "+strconv.FormatFloat(math.Floor(10*contrast(c, lightTint))/10, 'f', 1, 64)+" to 1, and must be at least 4.5")
	}
	return wrong
}

func oneLine(text string) string { return strings.Join(strings.Fields(text), " ") }

// What can be wrong with a logo, as pages say it.
var (
	errNotPicture = errors.New("is not a JPEG, PNG, GIF or WebP image")
	errLargeLogo  = errors.New("is too large for a logo")
)

// readLogo returns the picture that the form brings, made anew and small; nil if it
// brings none.
func readLogo(r *http.Request, p *story.Paper) ([]byte, error) {
	if r.PostFormValue("no-logo") != "" {
		p.Logo = story.Logo{}
		return nil, nil
	}
	file, header, err := r.FormFile("logo")
	if err != nil || header.Size == 0 {
		return nil, nil //nolint:nilerr // no file was chosen
	}
	defer func() { _ = file.Close() }()
	data, err := io.ReadAll(io.LimitReader(file, picture.MaxBytes+1))
	if err != nil {
		return nil, errs.Wrap(err, errs.Malformed, "")
	}
	for side := logoSide; side >= 64; side /= 2 {
		made, err := picture.Still(data, side)
		switch {
		case errors.Is(err, picture.ErrTooLarge):
			return nil, errLargeLogo
		case err != nil:
			return nil, errNotPicture
		}
		if full := made.Sizes[0]; len(full.Data) <= story.MaxLogo {
			sum := sha256.Sum256(full.Data)
			p.Logo = story.Logo{Digest: hex.EncodeToString(sum[:12]), Type: made.Type, Width: full.Width, Height: full.Height}
			return full.Data, nil
		}
	}
	return nil, errLargeLogo
}
