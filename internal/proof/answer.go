package proof

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"sync"

	"pressroom/internal/errs"
	"pressroom/internal/search/text"
)

// Answer is what a model answered about a meeting, as far as it can be checked. Members that are not named here are left
// alone.
type Answer struct {
	Title         string        `json:"title"`
	Description   string        `json:"description"`
	KeyPoints     []string      `json:"key_points"`
	Summary       Cited         `json:"summary"`
	SoftSummary   Cited         `json:"soft_language_summary"`
	MiddleSummary []Cited       `json:"middle_summary"`
	Dialogs       []Dialog      `json:"dialogs"`
	Participants  []Participant `json:"participants"`
	Terms         []Term        `json:"terms"`
}

// Cited is text with the orders that it rests on.
type Cited struct {
	BasedOnOrders []int  `json:"based_on_orders"`
	Summary       string `json:"summary"`
}

// Dialog is one speech, told shorter.
type Dialog struct {
	Order    int    `json:"order"`
	Speaker  string `json:"speaker"`
	Sections []struct {
		Title   string `json:"title"`
		Bullets []struct {
			Point  string `json:"point"`
			Quote  string `json:"quote"`
			Detail string `json:"detail"`
		} `json:"bullets"`
	} `json:"summary_sections"`
	Reaction     string `json:"reaction"`
	SoftLanguage string `json:"soft_language"`
}

// Term is a word that is explained.
type Term struct {
	Term       string `json:"term"`
	Definition string `json:"definition"`
}

// Participant is someone who spoke.
type Participant struct {
	Name     string `json:"name"`
	Group    string `json:"group"`
	Position string `json:"position"`
	Role     string `json:"role"`
	Summary  string `json:"summary"`
}

// speechKinds are titles that say what kind of speech it is, which no speech says of itself.
var speechKinds = set("質問 答弁 発言 討論 趣旨説明 説明 報告 意見 動議 採決 結果 所信 Question Answer Speech Statement Report Debate Motion Vote Result")

// Sentences returns what an answer says, sentence by sentence, each with what it cites. What cites nothing is held against
// the whole record.
func (a *Answer) Sentences() []Sentence {
	var out []Sentence
	add := func(where, text, speaker string, orders []int) {
		for _, s := range Split(where, text, orders) {
			s.Speaker = speaker
			out = append(out, s)
		}
	}
	add("title", a.Title, "", nil)
	add("description", a.Description, "", nil)
	for i, p := range a.KeyPoints {
		add(fmt.Sprintf("key_points[%d]", i), p, "", nil)
	}
	add("summary.summary", a.Summary.Summary, "", a.Summary.BasedOnOrders)
	add("soft_language_summary.summary", a.SoftSummary.Summary, "", a.SoftSummary.BasedOnOrders)
	for i, c := range a.MiddleSummary {
		add(fmt.Sprintf("middle_summary[%d].summary", i), c.Summary, "", c.BasedOnOrders)
	}
	for i, d := range a.Dialogs {
		where := fmt.Sprintf("dialogs[%d]", i)
		orders := []int{d.Order}
		for j, section := range d.Sections {
			if !speechKinds[section.Title] {
				add(fmt.Sprintf("%s.summary_sections[%d].title", where, j), section.Title, d.Speaker, orders)
			}
			for k, b := range section.Bullets {
				place := fmt.Sprintf("%s.summary_sections[%d].bullets[%d]", where, j, k)
				add(place+".point", b.Point, d.Speaker, orders)
				if strings.TrimSpace(b.Quote) != "" {
					out = append(out, Sentence{Where: place + ".quote", Text: strings.Trim(strings.TrimSpace(b.Quote), "「」“”\""), Orders: orders, Verbatim: true})
				}
				add(place+".detail", b.Detail, d.Speaker, orders)
			}
		}
		add(where+".reaction", d.Reaction, "", orders)
		add(where+".soft_language", d.SoftLanguage, d.Speaker, orders)
	}
	for i, p := range a.Participants {
		add(fmt.Sprintf("participants[%d].summary", i), p.Summary, p.Name, nil)
	}
	return out
}

// CheckAnswer checks all that an answer says. It ends early, with ctx's error, when ctx does.
func (r *Record) CheckAnswer(ctx context.Context, a *Answer) ([]Claim, error) {
	said, err := r.CheckAll(ctx, a.Sentences())
	if err != nil {
		return nil, err
	}
	terms, err := r.checkTerms(ctx, a)
	return slices.Concat(r.checkPeople(a), said, terms), err
}

// CheckAll checks sentences, as [Record.Check] does. It ends early, with ctx's error, when ctx does.
func (r *Record) CheckAll(ctx context.Context, sentences []Sentence) ([]Claim, error) {
	if err := r.readCited(ctx, sentences); err != nil {
		return nil, err
	}
	var claims []Claim
	for _, s := range sentences {
		if err := ctx.Err(); err != nil {
			return claims, err
		}
		claims = append(claims, r.Check(s)...)
	}
	return claims, nil
}

// readCited reads the passages that sentences cite, as many at once as the machine can. Nobody waits for the dictionary of
// Japanese once ctx has ended, though it takes a second to load.
func (r *Record) readCited(ctx context.Context, sentences []Sentence) error {
	cited := map[*source]bool{}
	japanese := false
	for _, s := range sentences {
		japanese = japanese || language(s.Text) == "ja"
		for _, o := range s.Orders {
			if src := r.sources[o]; src != nil {
				cited[src] = true
			}
		}
		if len(s.Orders) == 0 {
			for _, src := range r.sources {
				cited[src] = true
			}
		}
	}
	for src := range cited {
		japanese = japanese || language(src.Text) == "ja" || src.person != nil && src.person.japanese
	}
	if japanese {
		if err := text.Load(ctx); err != nil {
			return err
		}
	}
	var group sync.WaitGroup
	next := make(chan *source)
	for range min(runtime.GOMAXPROCS(0), len(cited)) {
		group.Go(func() {
			for src := range next {
				src.read()
			}
		})
	}
	for src := range cited {
		if ctx.Err() != nil {
			break
		}
		next <- src
	}
	close(next)
	group.Wait()
	return ctx.Err()
}

// checkTerms checks what the explanations of words say of the record. What a word means is no claim about it: an explanation
// need not be there, but its figures, times, names, offices, bills and quotes must.
func (r *Record) checkTerms(ctx context.Context, a *Answer) ([]Claim, error) {
	var claims []Claim
	for i, t := range a.Terms {
		if err := ctx.Err(); err != nil {
			return claims, err
		}
		for _, c := range r.Check(Sentence{Where: fmt.Sprintf("terms[%d]", i), Text: t.Definition}) {
			switch c.Class {
			case Number, Unit, Date, Name, Office, Quote, Bill:
				claims = append(claims, c)
			default:
				if c.Verdict == Contradicted {
					claims = append(claims, c)
				}
			}
		}
	}
	return claims, nil
}

// headSpeaker is whom the minutes API names for the head of a record.
const headSpeaker = "会議録情報"

// checkPeople holds the people that an answer names against those of the record.
func (r *Record) checkPeople(a *Answer) []Claim {
	c := &checker{record: r}
	for i, d := range a.Dialogs {
		if d.Speaker == "" {
			continue
		}
		c.sentence = Sentence{Where: fmt.Sprintf("dialogs[%d].speaker", i), Text: d.Speaker, Orders: []int{d.Order}}
		src, ok := r.sources[d.Order]
		switch {
		case ok && src.Speaker == "": // nobody speaks there
		case !ok:
			c.add(Speaker, d.Speaker, NotFound, because("no_passage"), nil)
		case src.speakerIs(d.Speaker):
			c.add(Speaker, d.Speaker, Supported, because("found"), nil)
		default:
			c.add(Speaker, d.Speaker, Contradicted, because("speaker_other", d.Speaker, src.Speaker), nil)
		}
	}
	for i, p := range a.Participants {
		c.sentence = Sentence{Where: fmt.Sprintf("participants[%d]", i), Text: p.Name}
		if r.head != nil && p.Name == headSpeaker {
			continue
		}
		who := r.find(p.Name)
		if who == nil {
			if !r.texts().has(bare(p.Name)) {
				c.add(Name, p.Name, NotFound, because("name_absent", p.Name), nil)
			}
			continue
		}
		c.add(Name, p.Name, Supported, because("found"), nil)
		if p.Group != "" && len(who.parties) > 0 {
			ok := false
			for _, party := range who.parties {
				ok = ok || sameParty(string(fold(p.Group)), party)
			}
			verdict, why := Supported, because("found")
			if !ok {
				verdict, why = Contradicted, because("party_other", p.Name, strings.Join(who.parties, ", "), p.Group)
			}
			c.add(Office, p.Group, verdict, why, nil)
		}
	}
	return c.claims
}

func (s *source) speakerIs(name string) bool {
	said, own := bare(strings.TrimPrefix(name, "○")), bare(s.Speaker)
	return own != "" && strings.HasPrefix(said, own) || said == own || s.label != "" && (said == bare(s.label) || strings.HasPrefix(bare(s.label), said) && said != "")
}

// ---- reading

// ReadRecord reads a record: one meeting in the form of the minutes API of the National Diet Library (a meetingRecord, or an
// answer that holds one), or {"date", "meeting", "passages"} with passages as in [Passage].
func ReadRecord(data []byte) (*Record, error) {
	var in struct {
		MeetingRecord json.RawMessage `json:"meetingRecord"`
		SpeechRecord  json.RawMessage `json:"speechRecord"`
		Passages      []Passage       `json:"passages"`
		Date          string          `json:"date"`
		Meeting       string          `json:"meeting"`
		House         string          `json:"nameOfHouse"`
		Name          string          `json:"nameOfMeeting"`
	}
	if err := json.Unmarshal(data, &in); err != nil {
		return nil, invalid("record", "must be a meeting in the form of the minutes API, or {\"date\", \"passages\"}")
	}
	if len(in.MeetingRecord) > 0 {
		list := listOf(in.MeetingRecord)
		if len(list) != 1 {
			return nil, invalid("record", "must hold one meeting")
		}
		return ReadRecord(list[0])
	}
	if in.Passages != nil {
		return NewRecord(in.Date, in.Meeting, in.Passages), nil
	}
	if len(in.SpeechRecord) == 0 {
		return nil, invalid("record", "has neither a speechRecord nor passages")
	}
	var passages []Passage
	for i, raw := range listOf(in.SpeechRecord) {
		var s struct {
			Order    json.RawMessage `json:"speechOrder"`
			Speaker  string          `json:"speaker"`
			Group    string          `json:"speakerGroup"`
			Position string          `json:"speakerPosition"`
			Role     string          `json:"speakerRole"`
			Text     string          `json:"speech"`
		}
		if err := json.Unmarshal(raw, &s); err != nil {
			return nil, invalid("record", fmt.Sprintf("speech %d is not in the form of the minutes API", i))
		}
		order, err := strconv.Atoi(strings.Trim(string(bytes.TrimSpace(s.Order)), `"`))
		if err != nil {
			order = i
		}
		if s.Speaker == headSpeaker {
			s.Speaker = ""
		}
		passages = append(passages, Passage{Order: order, Speaker: s.Speaker, Party: s.Group, Office: s.Position, Role: s.Role, Text: s.Text})
	}
	return NewRecord(in.Date, in.House+in.Name, passages), nil
}

// ReadAnswer reads an answer in the form of a result: title, key_points, summary, dialogs and the rest.
func ReadAnswer(data []byte) (*Answer, error) {
	a := new(Answer)
	if err := json.Unmarshal(data, a); err != nil {
		var wrong *json.UnmarshalTypeError
		if errors.As(err, &wrong) && wrong.Field != "" {
			return nil, invalid("answer."+wrong.Field, "is not in the form of a result")
		}
		return nil, invalid("answer", "must be a result: a JSON object with summary, dialogs and the rest")
	}
	return a, nil
}

func invalid(name, message string) error {
	return errs.Validation(errs.Field{Name: name, Message: message})
}

// listOf returns the elements of a list; anything else is a list of one.
func listOf(raw json.RawMessage) []json.RawMessage {
	var list []json.RawMessage
	if json.Unmarshal(raw, &list) == nil {
		return list
	}
	return []json.RawMessage{raw}
}
