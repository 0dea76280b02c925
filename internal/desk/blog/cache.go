package blog

import (
	"container/list"
	"sync"
)

// articleCache keeps articles that were rendered lately. An article is asked for
// by id, version and the digest of its body, and what has these is never another
// article, so that nothing has to be taken out. Without a digest, as other programs
// write posts, nothing is kept.
type articleCache struct {
	mu    sync.Mutex
	byKey map[articleKey]*list.Element
	order *list.List // of *articleEntry, the last asked for first
	bytes int
}

type articleKey struct {
	id      string
	version int
	digest  string
}

type articleEntry struct {
	key     articleKey
	article *Article
	bytes   int
}

// articleBytes is how much the cache holds.
const articleBytes = 64 << 20

func newArticleCache() *articleCache {
	return &articleCache{byKey: map[articleKey]*list.Element{}, order: list.New()}
}

func (c *articleCache) get(key articleKey) (*Article, bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	e, ok := c.byKey[key]
	if !ok {
		return nil, false
	}
	c.order.MoveToFront(e)
	return e.Value.(*articleEntry).article, true
}

func (c *articleCache) put(key articleKey, a *Article) {
	entry := &articleEntry{key, a, a.size()}
	if key.digest == "" || entry.bytes > articleBytes/4 {
		return // it would drive out everything else, or may change unseen
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	if _, there := c.byKey[entry.key]; there {
		return
	}
	c.byKey[entry.key] = c.order.PushFront(entry)
	c.bytes += entry.bytes
	for c.bytes > articleBytes {
		last := c.order.Back()
		old := c.order.Remove(last).(*articleEntry)
		delete(c.byKey, old.key)
		c.bytes -= old.bytes
	}
}

// size is about what an article takes in memory.
func (a *Article) size() int {
	n := 1000 + len(a.Text) + len(a.Title) + len(a.Summary)
	for _, row := range a.Rows {
		for _, cell := range row.Cells {
			n += len(cell.HTML) + 100
		}
	}
	return n
}
