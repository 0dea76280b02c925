package story

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"
	"sync"
	"sync/atomic"

	"github.com/aws/aws-sdk-go-v2/service/dynamodb"

	"pressroom/model"
)

var errDead = errors.New("the process is dead")

// mortal is the store of a process that dies: with its nth call and for good. The last
// call has happened in the store, or not.
type mortal struct {
	model.DB
	lives    atomic.Int64 // calls that are answered
	happened bool
}

func newMortal(db model.DB, calls int, happened bool) *mortal {
	m := &mortal{DB: db, happened: happened}
	m.lives.Store(int64(calls))
	return m
}

// died reports whether the process got to its last call.
func (m *mortal) died() bool { return m.lives.Load() < 0 }

type call[I, O any] func(context.Context, *I, ...func(*dynamodb.Options)) (*O, error)

func through[I, O any](ctx context.Context, m *mortal, in *I, do call[I, O]) (*O, error) {
	n := m.lives.Add(-1)
	if n >= 0 {
		return do(ctx, in)
	}
	if n == -1 && m.happened {
		if _, err := do(ctx, in); err != nil {
			return nil, err
		}
	}
	return nil, errDead
}

func (m *mortal) GetItem(ctx context.Context, in *dynamodb.GetItemInput, _ ...func(*dynamodb.Options)) (*dynamodb.GetItemOutput, error) {
	return through(ctx, m, in, m.DB.GetItem)
}

func (m *mortal) Query(ctx context.Context, in *dynamodb.QueryInput, _ ...func(*dynamodb.Options)) (*dynamodb.QueryOutput, error) {
	return through(ctx, m, in, m.DB.Query)
}

func (m *mortal) BatchGetItem(ctx context.Context, in *dynamodb.BatchGetItemInput, _ ...func(*dynamodb.Options)) (*dynamodb.BatchGetItemOutput, error) {
	return through(ctx, m, in, m.DB.BatchGetItem)
}

func (m *mortal) UpdateItem(ctx context.Context, in *dynamodb.UpdateItemInput, _ ...func(*dynamodb.Options)) (*dynamodb.UpdateItemOutput, error) {
	return through(ctx, m, in, m.DB.UpdateItem)
}

func (m *mortal) TransactWriteItems(ctx context.Context, in *dynamodb.TransactWriteItemsInput, _ ...func(*dynamodb.Options)) (*dynamodb.TransactWriteItemsOutput, error) {
	return through(ctx, m, in, m.DB.TransactWriteItems)
}

// late is a store whose indexes are behind, as Amazon's may be: an answer lacks some
// entries, or is an old one.
type late struct {
	model.DB
	mu     sync.Mutex
	random *rand.Rand
	old    map[string]*dynamodb.QueryOutput
	lied   int
}

func newLate(db model.DB, seed uint64) *late {
	return &late{DB: db, random: rand.New(rand.NewPCG(seed, 1)), old: map[string]*dynamodb.QueryOutput{}}
}

func (l *late) Query(ctx context.Context, in *dynamodb.QueryInput, o ...func(*dynamodb.Options)) (*dynamodb.QueryOutput, error) {
	out, err := l.DB.Query(ctx, in, o...)
	if err != nil || in.IndexName == nil {
		return out, err
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	question := fmt.Sprint(*in.IndexName)
	for _, values := range []model.Raw{in.ExpressionAttributeValues, in.ExclusiveStartKey} {
		for _, name := range slices.Sorted(maps.Keys(values)) {
			question += fmt.Sprintf(" %s=%v", name, values[name])
		}
	}
	switch l.random.IntN(3) {
	case 0:
		l.old[question] = out
	case 1:
		some := *out
		some.Items = nil
		for _, item := range out.Items {
			if l.random.IntN(2) == 0 {
				some.Items = append(some.Items, item)
			}
		}
		l.lied += len(out.Items) - len(some.Items)
		return &some, nil
	default:
		if old := l.old[question]; old != nil {
			l.lied++
			return old, nil
		}
	}
	return out, nil
}
