package engine

import (
	"context"
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"

	"github.com/aws/aws-sdk-go-v2/aws"

	"pressroom/dynamo/attr"
	"pressroom/dynamo/partiql"
)

// selectItems runs a SELECT: ranges of keys one after the other, or all rows.
func (e *Engine) selectItems(ctx context.Context, r *ExecuteStatement, b *partiql.Bound, t *table) (*StatementAnswer, error) {
	p := &page{t: t, s: t.shape.Load(), consistent: r.ConsistentRead, level: CapacityLevel(r.ReturnConsumedCapacity)}
	plan, err := p.planSelect(b, r.ConsistentRead)
	if err != nil {
		return nil, err
	}
	p.reverse, p.filter = plan.Backward, plan.Filter
	p.emit = func(it attr.Item) error { return r.Emit(b.Project(it)) }
	from, err := r.resume()
	if err != nil {
		return nil, err
	}
	return p.walkRanges(ctx, e, r, plan, from)
}

// planSelect resolves the index and asks the statement how to read.
func (p *page) planSelect(b *partiql.Bound, consistent bool) (*partiql.Plan, error) {
	if b.Index != "" {
		if p.ix = p.s.index(b.Index); p.ix == nil {
			return nil, partiql.ErrNoIndex
		}
		if consistent && !p.ix.local {
			return nil, partiql.ErrConsistentRead
		}
		if !p.ix.ready {
			return nil, invalid("Cannot read from backfilling global secondary index: %s", b.Index)
		}
	}
	plan, err := b.Plan(p.key())
	if err != nil || p.ix == nil || p.ix.all {
		return plan, err
	}
	if lacking := p.lacking(plan.FilterAttributes); len(lacking) > 0 && plan.Keyed {
		return nil, partiql.FilterNotProjected(p.ix.name, lacking)
	}
	if lacking := p.lacking(b.Columns()); len(lacking) > 0 {
		if !p.ix.local {
			return nil, partiql.NotProjected(p.ix.name, lacking)
		}
		p.fetch = true
	}
	return plan, nil
}

// lacking returns those of the attributes that the index does not hold.
func (p *page) lacking(names []string) []string {
	var out []string
	for _, name := range names {
		if !p.ix.has(name) {
			out = append(out, name)
		}
	}
	return out
}

// walkRanges reads the plan's ranges from where the token says until the
// limit or the page's size ends it.
func (p *page) walkRanges(ctx context.Context, e *Engine, r *ExecuteStatement, plan *partiql.Plan, from statementToken) (*StatementAnswer, error) {
	ranges := len(plan.Ranges)
	if plan.Scan {
		ranges = 1
	}
	out := new(StatementAnswer)
	left := int(aws.ToInt32(r.Limit))
	for i := from.Range; i < ranges; i++ {
		if plan.Scan {
			prefix := appendRowPrefix(nil, p.t.id, p.indexID())
			p.lower, p.upper = prefix, prefixEnd(prefix)
		} else {
			p.within(&plan.Ranges[i])
		}
		if i == from.Range && from.Key != nil {
			row, err := p.startKey(from.Key)
			if err != nil {
				return nil, partiql.ErrToken
			}
			p.startAfter(row)
		}
		p.limit = left
		got, err := p.run(ctx, e)
		if err != nil {
			return nil, err
		}
		out.Capacity = got.Capacity
		if got.LastKey != nil {
			out.LastKey = got.LastKey
			out.NextToken = aws.String(r.token(i, got.LastKey))
			return out, nil
		}
		left -= got.ScannedCount
	}
	if out.Capacity == nil && p.level.wanted() {
		out.Capacity = p.capacity()
	}
	return out, nil
}

// statementToken is where the next page of a SELECT begins.
type statementToken struct {
	Range   int
	Key     attr.Item
	Request []byte // digest of the statement and its parameters
}

func (r *ExecuteStatement) token(i int, key attr.Item) string {
	raw, err := json.Marshal(statementToken{Range: i, Key: key, Request: r.digest()})
	if err != nil {
		panic("engine: a token does not marshal: " + err.Error())
	}
	return base64.StdEncoding.EncodeToString(raw)
}

// resume reads the NextToken, which must come from the same statement.
func (r *ExecuteStatement) resume() (statementToken, error) {
	var tok statementToken
	if r.NextToken == nil {
		return tok, nil
	}
	raw, err := base64.StdEncoding.DecodeString(*r.NextToken)
	if err != nil || json.Unmarshal(raw, &tok) != nil || tok.Key == nil || attr.CheckItem(tok.Key) != nil || tok.Range < 0 {
		return tok, partiql.ErrToken
	}
	if string(tok.Request) != string(r.digest()) {
		return tok, partiql.ErrTokenMismatch
	}
	return tok, nil
}

func (r *ExecuteStatement) digest() []byte {
	h := digest{sha256.New()}
	h.statement(&r.Statement)
	return h.Sum(nil)
}

func (d digest) statement(s *Statement) {
	d.text(aws.ToString(s.Statement))
	for _, v := range s.Parameters {
		d.part('p', v)
	}
}
