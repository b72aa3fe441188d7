// Package prepared keeps the sentences, tokens and figures of texts that are read again and again, as the sources of many
// answers are.
package prepared

import (
	"hash/maphash"
	"slices"
	"sync"
	"sync/atomic"
	"unsafe"

	"github.com/hashicorp/golang-lru/v2/simplelru"

	"confab/internal/text"
	"confab/internal/text/figures"
)

// Text is what is derived from a text alone. It is read-only.
type Text struct {
	Sentences []Sentence
	Tokens    []text.Token
	Figures   []figures.Figure
}

// Sentence is a sentence: its bytes, and its tokens, half open.
type Sentence struct{ Start, End, First, Last int32 }

// size is the memory of the text, in bytes.
func (t *Text) size() int64 {
	const entry = 256 // of the text, its key and its place among the others
	return entry + int64(len(t.Sentences))*int64(unsafe.Sizeof(Sentence{})) + int64(len(t.Tokens))*int64(unsafe.Sizeof(text.Token{})) +
		int64(len(t.Figures))*int64(unsafe.Sizeof(figures.Figure{}))
}

// Key identifies a text by 128 bits of hashes with secret seeds, so that no producer can write two texts with the same key.
type Key struct{ first, second uint64 }

// leastBytes is the size of the shortest text that is kept: to read a shorter one costs hardly more than to find it.
const leastBytes = 128

const (
	shards    = 16
	seenSlots = 1 << 11 // in each shard
)

// Cache keeps the texts used last within a limit of memory. A text is kept from the second time on that it is read, so that
// texts which never come back cost no memory. It is safe for concurrent use; a nil cache keeps nothing.
type Cache struct {
	seeds        [2]maphash.Seed
	limit        int64 // bytes of each shard
	shards       [shards]shard
	hits, misses atomic.Uint64
}

type shard struct {
	mu    sync.Mutex
	bytes int64
	texts *simplelru.LRU[Key, *Text]
	seen  [seenSlots]uint64 // second halves of the keys read last
}

// NewCache makes a cache of at most maxBytes of memory; nil if maxBytes is not positive.
func NewCache(maxBytes int64) *Cache {
	if maxBytes <= 0 {
		return nil
	}
	c := &Cache{seeds: [2]maphash.Seed{maphash.MakeSeed(), maphash.MakeSeed()}, limit: maxBytes / shards}
	for i := range c.shards {
		s := &c.shards[i]
		// The number of entries is bounded by their size: each takes at least that of an empty text.
		s.texts, _ = simplelru.NewLRU(int(c.limit/(&Text{}).size())+1, func(_ Key, t *Text) { s.bytes -= t.size() })
	}
	return c
}

// Find returns the prepared text of s, nil if it is not kept. keep then says whether to give it to Keep.
func (c *Cache) Find(s string) (t *Text, key Key, keep bool) {
	if c == nil || len(s) < leastBytes {
		return nil, key, false
	}
	key = Key{maphash.String(c.seeds[0], s), maphash.String(c.seeds[1], s)}
	own := c.shardOf(key)
	own.mu.Lock()
	t, found := own.texts.Get(key)
	if !found {
		slot := &own.seen[key.second%seenSlots]
		keep, *slot = *slot == key.second, key.second
	}
	own.mu.Unlock()
	if found {
		c.hits.Add(1)
	} else {
		c.misses.Add(1)
	}
	return t, key, keep
}

// Keep keeps a copy of t, with the key from Find. A text larger than the cache's share is not kept.
func (c *Cache) Keep(key Key, t Text) {
	size := t.size()
	if size > c.limit {
		return
	}
	kept := &Text{Sentences: slices.Clone(t.Sentences), Tokens: slices.Clone(t.Tokens), Figures: slices.Clone(t.Figures)}
	own := c.shardOf(key)
	own.mu.Lock()
	defer own.mu.Unlock()
	if own.texts.Contains(key) {
		return
	}
	own.texts.Add(key, kept)
	for own.bytes += size; own.bytes > c.limit; {
		own.texts.RemoveOldest()
	}
}

func (c *Cache) shardOf(k Key) *shard { return &c.shards[k.first%shards] }

// Stats are the lookups since the start and the present memory, in bytes.
type Stats struct {
	Hits, Misses uint64
	Bytes        int64
}

// Stats returns the statistics of the cache, zero for a nil one.
func (c *Cache) Stats() (s Stats) {
	if c == nil {
		return s
	}
	s.Hits, s.Misses = c.hits.Load(), c.misses.Load()
	for i := range c.shards {
		own := &c.shards[i]
		own.mu.Lock()
		s.Bytes += own.bytes
		own.mu.Unlock()
	}
	return s
}
