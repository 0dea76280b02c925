package blog

// RowLayout is how a row of a post is filled.
type RowLayout string

// The rows: one block over the whole width, two columns, or one column with
// nothing beside it, which is as wide as the screen on a phone.
const (
	RowFull  RowLayout = "full"
	RowPair  RowLayout = "pair"
	RowLeft  RowLayout = "half_left"
	RowRight RowLayout = "half_right"
)

// Span is a row of a post: N blocks, beginning with the block at First.
type Span struct {
	Layout RowLayout `json:"layout"`
	First  int       `json:"first"`
	N      int       `json:"n"`
}

// Spans lays blocks out in rows, in their order. A left half and a right half
// right after it are a pair; any other half stands alone.
func Spans(blocks []Block) []Span {
	spans := make([]Span, 0, len(blocks))
	for i := 0; i < len(blocks); i++ {
		switch {
		case blocks[i].Layout == HalfLeft && i+1 < len(blocks) && blocks[i+1].Layout == HalfRight:
			spans = append(spans, Span{RowPair, i, 2})
			i++
		case blocks[i].Layout == HalfLeft:
			spans = append(spans, Span{RowLeft, i, 1})
		case blocks[i].Layout == HalfRight:
			spans = append(spans, Span{RowRight, i, 1})
		default:
			spans = append(spans, Span{RowFull, i, 1})
		}
	}
	return spans
}
