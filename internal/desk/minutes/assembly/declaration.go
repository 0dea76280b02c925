package assembly

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"net/url"
	"path"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/pelletier/go-toml/v2"
	"github.com/robfig/cron/v3"
	"golang.org/x/text/language"
)

// Words is a text in several languages, by BCP 47 tags.
type Words map[string]string

// In returns the text in a language, or else in the first of its languages.
func (w Words) In(tags ...string) string {
	for _, tag := range tags {
		if text := w[tag]; text != "" {
			return text
		}
	}
	for _, tag := range slices.Sorted(maps.Keys(w)) {
		return w[tag]
	}
	return ""
}

// Declaration is an assembly as data: a file of TOML.
type Declaration struct {
	// Code is what the assembly's keys and addresses carry: gb, jp-yokohama.
	Code string `toml:"code"`
	Name Words  `toml:"name"`
	// Place is an ISO 3166 code of a country or a part of one: GB, JP-14.
	Place     string   `toml:"place"`
	Zone      string   `toml:"zone"`
	Languages []string `toml:"languages"`
	// Homepage is the assembly's own.
	Homepage string      `toml:"homepage"`
	Licence  Licence     `toml:"licence"`
	Houses   []HouseOf   `toml:"house"`
	Sessions []SessionOf `toml:"session"`
	Sources  []SourceOf  `toml:"source"`
	// Roles and Stages are what the assembly calls the roles of speakers and the
	// stages of a bill.
	Roles  map[string]Words `toml:"roles"`
	Stages map[string]Words `toml:"stages"`
	IDs    IDs              `toml:"ids"`
}

// Licence is what may be done with the records, and whom to name.
type Licence struct {
	Name        string `toml:"name"`
	URL         string `toml:"url"`
	Attribution string `toml:"attribution"`
}

// HouseOf is a house or chamber; a council has one.
type HouseOf struct {
	// ID is what the records call it.
	ID         string     `toml:"id"`
	Name       Words      `toml:"name"`
	Committees []BodyName `toml:"committee"`
}

// BodyName is a committee: what the records call it, and its name.
type BodyName struct {
	ID   string `toml:"id"`
	Name Words  `toml:"name"`
}

// SessionOf is a session or term.
type SessionOf struct {
	ID    string `toml:"id"`
	Name  Words  `toml:"name"`
	From  string `toml:"from"`
	Until string `toml:"until"`
}

// SourceOf is where records come from, and how.
type SourceOf struct {
	Format string `toml:"format"`
	// One of these: a folder of files, an address, a bucket (s3://name/prefix).
	Folder  string `toml:"folder"`
	Address string `toml:"address"`
	Bucket  string `toml:"bucket"`
	// Files are patterns of the names to read, Skip of those to leave out.
	Files []string `toml:"files"`
	Skip  []string `toml:"skip"`
	// Schedule is when to look for new records, in the form of cron, in the
	// assembly's time; "" is once a day.
	Schedule string `toml:"schedule"`
	// Pause is the least time between two requests; "" is 3s.
	Pause    string `toml:"pause"`
	Language string `toml:"language"`
	// Mark and Selectors are for pages of HTML.
	Mark      string            `toml:"mark"`
	Selectors map[string]string `toml:"selectors"`
}

// IDs says how ids are made.
type IDs struct {
	// Meeting is the id of a meeting, with {id}, {date}, {house}, {body}, {term},
	// {session} and {number} from the record; "" is {id}. Neighbouring files with the
	// same id hold one meeting.
	Meeting string `toml:"meeting"`
}

// Fault is something wrong in a declaration.
type Fault struct {
	File  string
	Line  int    // 0 if the field is not there
	Field string // house[1].id
	Text  string
}

func (f Fault) String() string {
	place := f.File
	if f.Line > 0 {
		place += ":" + strconv.Itoa(f.Line)
	}
	if f.Field != "" {
		place += ": " + f.Field
	}
	return place + ": " + f.Text
}

// Faults is all that is wrong in a declaration.
type Faults []Fault

func (f Faults) Error() string {
	lines := make([]string, len(f))
	for i := range f {
		lines[i] = f[i].String()
	}
	return strings.Join(lines, "\n")
}

// MaxDeclaration bounds a file, in bytes.
const MaxDeclaration = 256 << 10

// Declare reads a declaration. known tells whether a source can be read, and why
// not. Everything that is wrong is reported at once, as Faults.
func Declare(file string, data []byte, known func(SourceOf) error) (*Declaration, error) {
	if len(data) > MaxDeclaration {
		return nil, Faults{{File: file, Text: fmt.Sprintf("a declaration has at most %d KB", MaxDeclaration>>10)}}
	}
	var d Declaration
	err := toml.NewDecoder(bytes.NewReader(data)).DisallowUnknownFields().Decode(&d)
	var missing *toml.StrictMissingError
	var decode *toml.DecodeError
	switch {
	case errors.As(err, &missing):
		var faults Faults
		for i := range missing.Errors {
			line, _ := missing.Errors[i].Position()
			faults = append(faults, Fault{file, line, strings.Join(missing.Errors[i].Key(), "."), "is not a field of a declaration"})
		}
		return nil, faults
	case errors.As(err, &decode):
		line, _ := decode.Position()
		return nil, Faults{{file, line, strings.Join(decode.Key(), "."), strings.TrimPrefix(decode.Error(), "toml: ")}}
	case err != nil:
		return nil, Faults{{File: file, Text: err.Error()}}
	}
	c := checker{file: file, lines: fieldLines(data)}
	c.declaration(&d)
	for i, s := range d.Sources {
		if err := known(s); s.Format != "" && err != nil {
			c.fault(fmt.Sprintf("source[%d].format", i), "%v", err)
		}
	}
	if len(c.faults) > 0 {
		slices.SortStableFunc(c.faults, func(a, b Fault) int { return a.Line - b.Line })
		return nil, c.faults
	}
	return &d, nil
}

// Declarations reads all declarations of a folder, its files of TOML, in the order of
// their names. Those that are right are returned also where others are not; what is
// wrong is reported as Faults.
func Declarations(folder fs.FS, known func(SourceOf) error) ([]*Declaration, error) {
	names, err := fs.Glob(folder, "*.toml")
	if err != nil {
		return nil, err
	}
	var all []*Declaration
	var faults Faults
	first := map[string]string{}
	for _, name := range names {
		data, err := fs.ReadFile(folder, name)
		if err != nil {
			return nil, err
		}
		d, err := Declare(name, data, known)
		var wrong Faults
		switch {
		case errors.As(err, &wrong):
			faults = append(faults, wrong...)
		case err != nil:
			return nil, err
		case first[d.Code] != "":
			faults = append(faults, Fault{name, fieldLines(data)["code"], "code", fmt.Sprintf("%q is the code of %s already", d.Code, first[d.Code])})
		default:
			first[d.Code] = name
			all = append(all, d)
		}
	}
	if len(faults) > 0 {
		return all, faults
	}
	return all, nil
}

var tableLine = regexp.MustCompile(`^\s*(\[\[?)\s*([A-Za-z0-9_.-]+)\s*\]\]?`)
var fieldLine = regexp.MustCompile(`^\s*([A-Za-z0-9_.-]+)\s*=`)

// fieldLines finds the lines of the fields: house[1].id, licence.url.
func fieldLines(data []byte) map[string]int {
	lines := map[string]int{}
	counts := map[string]int{}
	table := ""
	for i, line := range strings.Split(string(data), "\n") {
		if m := tableLine.FindStringSubmatch(line); m != nil {
			table = ""
			for part := range strings.SplitSeq(m[2], ".") {
				whole := strings.TrimPrefix(table+"."+part, ".")
				if m[1] == "[[" && strings.HasSuffix(m[2], part) && strings.Count(whole, ".") == strings.Count(m[2], ".") {
					counts[whole]++
				}
				if n := counts[whole]; n > 0 {
					whole += fmt.Sprintf("[%d]", n-1)
				}
				table = whole
			}
			lines[table] = i + 1
			continue
		}
		if m := fieldLine.FindStringSubmatch(line); m != nil {
			lines[strings.TrimPrefix(table+"."+m[1], ".")] = i + 1
		}
	}
	return lines
}

// checker collects faults.
type checker struct {
	file   string
	lines  map[string]int
	faults Faults
}

func (c *checker) fault(field, format string, args ...any) {
	line := 0
	for at := field; at != "" && line == 0; {
		if line = c.lines[at]; line == 0 {
			end := strings.LastIndexByte(at, '.')
			at = at[:max(end, 0)]
		}
	}
	c.faults = append(c.faults, Fault{c.file, line, field, fmt.Sprintf(format, args...)})
}

var codeForm = regexp.MustCompile(`^[a-z0-9]+(-[a-z0-9]+)*$`)
var placeForm = regexp.MustCompile(`^[A-Z]{2}(-[A-Z0-9]{1,3})?$`)
var idForm = regexp.MustCompile(`\{([^{}]*)\}`)

func (c *checker) declaration(d *Declaration) {
	switch {
	case d.Code == "":
		c.fault("code", "is missing")
	case !codeForm.MatchString(d.Code) || len(d.Code) > 32:
		c.fault("code", "%q is not lower-case letters, digits and hyphens, at most 32 of them", d.Code)
	}
	c.words("name", d.Name, true)
	if d.Place != "" && !placeForm.MatchString(d.Place) {
		c.fault("place", "%q is not a code of ISO 3166, such as GB or JP-14", d.Place)
	}
	if d.Zone == "" {
		c.fault("zone", "is missing; it is a time zone such as Asia/Tokyo")
	} else if _, err := time.LoadLocation(d.Zone); err != nil || d.Zone == "Local" {
		c.fault("zone", "%q is not a time zone such as Asia/Tokyo", d.Zone)
	}
	if len(d.Languages) == 0 {
		c.fault("languages", "is missing; it lists the languages of the records")
	}
	for _, tag := range d.Languages {
		c.tag("languages", tag)
	}
	c.link("homepage", d.Homepage)
	if d.Licence.Name == "" {
		c.fault("licence.name", "is missing; without it nothing of the records may be shown")
	}
	c.link("licence.url", d.Licence.URL)
	c.houses(d.Houses)
	c.sessions(d.Sessions)
	if len(d.Sources) == 0 {
		c.fault("source", "is missing; there is at least one [[source]]")
	}
	for i := range d.Sources {
		c.source(fmt.Sprintf("source[%d]", i), &d.Sources[i])
	}
	for _, role := range slices.Sorted(maps.Keys(d.Roles)) {
		if !slices.Contains([]Role{Chair, Member, Government, Guest}, Role(role)) {
			c.fault("roles."+role, "is not chair, member, government or guest")
		}
		c.words("roles."+role, d.Roles[role], true)
	}
	for _, stage := range slices.Sorted(maps.Keys(d.Stages)) {
		c.words("stages."+stage, d.Stages[stage], true)
	}
	for _, m := range idForm.FindAllStringSubmatch(d.IDs.Meeting, -1) {
		if _, ok := (&Meeting{}).field(m[1]); !ok {
			c.fault("ids.meeting", "{%s} is not {id}, {date}, {house}, {body}, {term}, {session} or {number}", m[1])
		}
	}
	if d.IDs.Meeting != "" && !idForm.MatchString(d.IDs.Meeting) {
		c.fault("ids.meeting", "%q is the same for all meetings", d.IDs.Meeting)
	}
}

func (c *checker) words(field string, w Words, required bool) {
	if len(w) == 0 && required {
		c.fault(field, "is missing; it has a text for each language, such as { en = \"…\" }")
	}
	for _, tag := range slices.Sorted(maps.Keys(w)) {
		c.tag(field, tag)
		if strings.TrimSpace(w[tag]) == "" {
			c.fault(field, "is empty in %s", tag)
		}
	}
}

func (c *checker) tag(field, tag string) {
	if _, err := language.Parse(tag); err != nil {
		c.fault(field, "%q is not a tag of a language, such as en or pt-BR", tag)
	}
}

func (c *checker) link(field, address string) {
	if address == "" {
		return
	}
	if u, err := url.Parse(address); err != nil || u.Scheme != "https" && u.Scheme != "http" || u.Host == "" {
		c.fault(field, "%q is not an address that begins with https://", address)
	}
}

func (c *checker) houses(houses []HouseOf) {
	seen := map[string]bool{}
	once := func(field, id string) {
		switch {
		case id == "":
			c.fault(field, "is missing")
		case seen[id]:
			c.fault(field, "%q is there twice", id)
		}
		seen[id] = true
	}
	for i, h := range houses {
		field := fmt.Sprintf("house[%d]", i)
		once(field+".id", h.ID)
		c.words(field+".name", h.Name, true)
		for j, b := range h.Committees {
			field := fmt.Sprintf("%s.committee[%d]", field, j)
			once(field+".id", b.ID)
			c.words(field+".name", b.Name, false)
		}
	}
}

func (c *checker) sessions(sessions []SessionOf) {
	for i, s := range sessions {
		field := fmt.Sprintf("session[%d]", i)
		if s.ID == "" {
			c.fault(field+".id", "is missing")
		}
		for _, date := range [][2]string{{"from", s.From}, {"until", s.Until}} {
			if date[1] != "" && !isDay(date[1]) {
				c.fault(field+"."+date[0], "%q is not a day such as 2026-11-16", date[1])
			}
		}
		if s.From != "" && s.Until != "" && s.Until < s.From {
			c.fault(field+".until", "is before from")
		}
	}
}

func (c *checker) source(field string, s *SourceOf) {
	if s.Format == "" {
		c.fault(field+".format", "is missing")
	}
	places := 0
	for _, place := range []string{s.Folder, s.Address, s.Bucket} {
		if place != "" {
			places++
		}
	}
	if places != 1 {
		c.fault(field, "has one of folder, address and bucket, and this has %d of them", places)
	}
	c.link(field+".address", s.Address)
	if s.Bucket != "" && !strings.HasPrefix(s.Bucket, "s3://") {
		c.fault(field+".bucket", "%q does not begin with s3://", s.Bucket)
	}
	for _, pattern := range slices.Concat(s.Files, s.Skip) {
		if _, err := path.Match(pattern, ""); err != nil {
			c.fault(field+".files", "%q is not a pattern of names, such as *.xml", pattern)
		}
	}
	if s.Schedule != "" {
		if _, err := cron.ParseStandard(s.Schedule); err != nil {
			c.fault(field+".schedule", "%q is not a schedule such as \"30 4 * * *\": %v", s.Schedule, err)
		}
	}
	if s.Pause != "" {
		if d, err := time.ParseDuration(s.Pause); err != nil || d < time.Second {
			c.fault(field+".pause", "%q is not a time of at least 1s", s.Pause)
		}
	}
	if s.Language != "" {
		c.tag(field+".language", s.Language)
	}
}

// field returns what a placeholder stands for.
func (m *Meeting) field(name string) (string, bool) {
	switch name {
	case "id":
		return m.ID, true
	case "date":
		return m.Date, true
	case "house":
		return m.House, true
	case "body":
		return m.Body, true
	case "term":
		return m.Term, true
	case "session":
		return m.Session, true
	case "number":
		return m.Number, true
	}
	return "", false
}

// MeetingID makes the id of a meeting.
func (d *Declaration) MeetingID(m *Meeting) string {
	form := d.IDs.Meeting
	if form == "" {
		form = "{id}"
	}
	return CleanID(idForm.ReplaceAllStringFunc(form, func(s string) string {
		text, _ := m.field(s[1 : len(s)-1])
		return text
	}))
}

var notID = regexp.MustCompile(`[^\p{L}\p{N}._~-]+`)

// CleanID makes an id out of a text: letters, digits, and - . _ ~ between them.
func CleanID(s string) string { return strings.Trim(notID.ReplaceAllString(s, "-"), "-.") }

// Named returns what a house and a committee of it are called in a language. If one
// house is declared, all meetings are its; without any, they are the assembly's. A
// house or committee beside those that are declared is called what the record calls it.
func (d *Declaration) Named(house, body, language string) (houseName, bodyName string) {
	houseName, bodyName = house, body
	if len(d.Houses) == 0 {
		houseName = d.Name.In(language)
	}
	for _, h := range d.Houses {
		if h.ID == house || len(d.Houses) == 1 {
			houseName = h.Name.In(language)
		}
		for _, c := range h.Committees {
			if c.ID == body && len(c.Name) > 0 {
				bodyName = c.Name.In(language)
			}
		}
	}
	return houseName, bodyName
}
