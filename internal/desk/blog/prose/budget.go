package prose

import (
	"bytes"
	"context"
	"time"

	"github.com/yuin/goldmark/ast"
	"github.com/yuin/goldmark/parser"
	"github.com/yuin/goldmark/text"
)

// Markdown can be written so that its parser takes the square of its length, and
// neither it nor the lexers of code can be stopped from outside. So the parser's
// parts are wrapped: each pays, before it runs, for the most that it may do, in
// steps of some nanoseconds. Steps are counted, not timed, so that a text is shown
// the same way however busy the machine is.
const (
	freeSteps    = 50_000_000 // of a page; about a quarter of a second
	stepsPerByte = 150        // more, for each byte; ordinary text takes 10 to 70
	nodeSteps    = 100        // to make, walk and write a node
	lineSteps    = 200        // to go to the next line
	lookEvery    = 1_000_000  // steps, to see whether anybody still waits

	// codeTime is how long the code of a page may take to be coloured. The lexers'
	// regular expressions cannot be counted; 64 KiB of a real program take some
	// 50 ms.
	codeTime = 2 * time.Second
)

// budget is what one page may cost.
type budget struct {
	ctx   context.Context
	steps int
	spent bool
	code  time.Duration
	now   func() time.Time
}

func newBudget(ctx context.Context) *budget {
	return &budget{ctx: ctx, steps: freeSteps, code: codeTime, now: time.Now}
}

// stop is what a parser is left with, by a panic that parse recovers.
type stop struct{}

// pay takes steps. It stops the parser when there are none left, or when nobody
// waits for the page any more.
func (b *budget) pay(steps int) {
	before := b.steps
	b.steps -= steps
	if b.steps < 0 || before/lookEvery != b.steps/lookEvery && b.ctx.Err() != nil {
		b.spent = true
		panic(stop{})
	}
}

// parse parses Markdown; ok is false if it would cost more than is left, or nobody
// waits for it.
func (b *budget) parse(src []byte, ids parser.IDs) (doc ast.Node, ok bool) {
	if b.spent || b.ctx.Err() != nil {
		return nil, false
	}
	// What simple text leaves of its share is not for others to burn.
	b.steps = min(b.steps, freeSteps) + stepsPerByte*len(src)
	defer func() {
		if p := recover(); p != nil {
			if _, stopped := p.(stop); !stopped {
				panic(p)
			}
			doc, ok = nil, false
		}
	}()
	options := []parser.ContextOption{}
	if ids != nil {
		options = append(options, parser.WithIDs(ids))
	}
	pc := parser.NewContext(options...)
	pc.Set(costKey, &cost{budget: b})
	return markdown.Parser().Parse(text.NewReader(src), parser.WithContext(pc)), true
}

// cost is what is paid for the block that is being parsed.
type cost struct {
	*budget
	block    ast.Node // whose text it is
	brackets int      // "[" and "]" so far in it
	marks    int      // delimiters so far in it
}

var costKey = parser.NewContextKey()

func costOf(pc parser.Context) *cost { return pc.Get(costKey).(*cost) }

// inside begins a new count when the parser comes to another block.
func (c *cost) inside(block ast.Node) {
	if c.block != block {
		c.block, c.brackets, c.marks = block, 0, 0
	}
}

// paid is the option that makes every part of a parser pay.
type paid struct{}

// SetParserOption wraps the parts that the parser has so far.
func (paid) SetParserOption(c *parser.Config) {
	for i, v := range c.BlockParsers {
		c.BlockParsers[i].Value = block{v.Value.(parser.BlockParser)}
	}
	for i, v := range c.InlineParsers {
		p := v.Value.(parser.InlineParser)
		c.InlineParsers[i].Value = inline{p, bytes.ContainsRune(p.Trigger(), ' ') || p == parser.NewAutoLinkParser()}
	}
	for i, v := range c.ParagraphTransformers {
		c.ParagraphTransformers[i].Value = paragraph{v.Value.(parser.ParagraphTransformer)}
	}
}

func setOption(part any, name parser.OptionName, value any) {
	if p, ok := part.(parser.SetOptioner); ok {
		p.SetOption(name, value)
	}
}

// block pays for a block parser: each looks at the line, at every level.
type block struct{ parser.BlockParser }

func payLine(r text.Reader, pc parser.Context) {
	line, _ := r.PeekLine()
	costOf(pc).pay(1 + len(line))
}

func (b block) Open(parent ast.Node, r text.Reader, pc parser.Context) (ast.Node, parser.State) {
	payLine(r, pc)
	return b.BlockParser.Open(parent, r, pc)
}

func (b block) Continue(n ast.Node, r text.Reader, pc parser.Context) parser.State {
	payLine(r, pc)
	return b.BlockParser.Continue(n, r, pc)
}

func (b block) SetOption(name parser.OptionName, value any) { setOption(b.BlockParser, name, value) }

// inline pays for an inline parser.
type inline struct {
	parser.InlineParser
	words bool // it looks at the word ahead and no further
}

func (i inline) Parse(parent ast.Node, r text.Reader, pc parser.Context) ast.Node {
	c := costOf(pc)
	c.inside(parent)
	line, _ := r.PeekLine()
	line = line[:min(len(line), 2)]
	c.pay(nodeSteps / 4)
	if i.words {
		return i.InlineParser.Parse(parent, r, pc)
	}
	switch line[0] {
	case '*', '_', '~': // each is compared with those before it, at the end of the block
		c.marks++
		c.pay(nodeSteps + 2*c.marks)
	case '[', '!':
		c.brackets++
	case ']': // it looks through what stands between the brackets
		c.brackets++
		c.pay(nodeSteps + c.brackets)
	}
	far := looksFar(line)
	whole := 0
	if far {
		whole = rest(parent, r)
	}
	n := i.InlineParser.Parse(parent, r, pc)
	if _, failed := n.(*ast.Text); far && (n == nil || failed) {
		c.pay(whole) // it looked for its end in vain
	}
	return n
}

// looksFar reports whether what begins so may have its end anywhere in the block: a
// link, code, a tag.
func looksFar(line []byte) bool {
	if line[0] == '`' {
		return true
	}
	if len(line) < 2 {
		return false
	}
	next := line[1] | 0x20 // a letter in lower case
	return line[0] == ']' && (line[1] == '(' || line[1] == '[') ||
		line[0] == '<' && (line[1] == '!' || line[1] == '?' || line[1] == '/' || next >= 'a' && next <= 'z')
}

func (i inline) SetOption(name parser.OptionName, value any) {
	setOption(i.InlineParser, name, value)
}

// CloseBlock lets the link parser forget what was not closed.
func (i inline) CloseBlock(parent ast.Node, r text.Reader, pc parser.Context) {
	if closer, ok := i.InlineParser.(parser.CloseBlocker); ok {
		closer.CloseBlock(parent, r, pc)
	}
}

// rest is what it costs to look through the block to its end.
func rest(parent ast.Node, r text.Reader) int {
	line, at := r.Position()
	for n := parent; n != nil; n = n.Parent() {
		if n.Type() != ast.TypeBlock || n.Lines() == nil || n.Lines().Len() == 0 {
			continue
		}
		last := n.Lines().Len() - 1
		return 2*max(0, n.Lines().At(last).Stop-at.Start) + lineSteps*max(0, last-line)
	}
	return 2 * (len(r.Source()) - at.Start)
}

// paragraph pays for what makes something else of a paragraph: definitions, each of
// which begins a new one, and tables, whose rows all get the columns of the head
// however short they are.
type paragraph struct{ parser.ParagraphTransformer }

func (p paragraph) Transform(n *ast.Paragraph, r text.Reader, pc parser.Context) {
	lines, columns := n.Lines(), 0
	for i := range lines.Len() {
		at := lines.At(i)
		line := at.Value(r.Source())
		if i == 0 && bytes.HasPrefix(bytes.TrimSpace(line), []byte("[")) {
			costOf(pc).pay(lines.Len() * lines.Len() / 4)
		}
		if len(bytes.Trim(line, "-:| \t\r\n")) == 0 {
			columns = max(columns, 1+bytes.Count(line, []byte("|")))
		}
	}
	costOf(pc).pay(lines.Len() * (1 + columns*nodeSteps))
	p.ParagraphTransformer.Transform(n, r, pc)
}

func (p paragraph) SetOption(name parser.OptionName, value any) {
	setOption(p.ParagraphTransformer, name, value)
}
