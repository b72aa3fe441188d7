// Package prepared keeps what was derived from texts that are read again and again, as the sources of many answers are:
// sentences, tokens, figures, and what detectors derive.
package prepared

import (
	"hash/maphash"
	"math/bits"
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
	Signs     text.Signs // of the tokens
}

// Sentence is a sentence: its bytes, and its tokens, half open.
type Sentence struct{ Start, End, First, Last int32 }

// entryBytes is the memory of an entry without what it refers to.
const entryBytes = 256

// size is the memory that the text refers to, in bytes.
func (t *Text) size() int64 {
	return int64(len(t.Sentences))*int64(unsafe.Sizeof(Sentence{})) + int64(len(t.Tokens))*int64(unsafe.Sizeof(text.Token{})) +
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
	mu      sync.Mutex
	bytes   int64
	entries *simplelru.LRU[Key, entry]
	seen    [seenSlots]uint64 // second halves of the keys read last
}

// entry is a prepared text, or what a detector derived from some.
type entry struct {
	text    *Text
	derived any
	bytes   int64
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
		s.entries, _ = simplelru.NewLRU(int(c.limit/entryBytes)+1, func(_ Key, e entry) { s.bytes -= e.bytes })
	}
	return c
}

// Find returns the prepared text of s, nil if it is not kept. keep then says whether to give it to Keep.
func (c *Cache) Find(s string) (t *Text, key Key, keep bool) {
	if c == nil || len(s) < leastBytes {
		return nil, key, false
	}
	key = c.keyOf(s)
	e, keep := c.lookUp(key)
	if e.text != nil {
		c.hits.Add(1)
	} else {
		c.misses.Add(1)
	}
	return e.text, key, keep
}

// Keep keeps a copy of t, with the key from Find. A text larger than the cache's share is not kept.
func (c *Cache) Keep(key Key, t Text) {
	if size := entryBytes + t.size(); size <= c.limit {
		kept := &Text{slices.Clone(t.Sentences), slices.Clone(t.Tokens), slices.Clone(t.Figures), t.Signs}
		c.add(key, entry{text: kept, bytes: size})
	}
}

// FindDerived returns what was derived from the texts together under the name, nil if nothing is kept. keep then says whether
// to give it to KeepDerived.
func (c *Cache) FindDerived(name string, texts []string) (v any, key Key, keep bool) {
	if c == nil {
		return nil, key, false
	}
	key = c.keyOf(name)
	for _, s := range texts {
		key = key.with(c.keyOf(s))
	}
	e, keep := c.lookUp(key)
	return e.derived, key, keep
}

// KeepDerived keeps v, which must not change any more, with the key from FindDerived. bytes is the memory that it refers to. A
// value larger than the cache's share is not kept.
func (c *Cache) KeepDerived(key Key, v any, bytes int64) {
	if size := entryBytes + bytes; size <= c.limit {
		c.add(key, entry{derived: v, bytes: size})
	}
}

func (c *Cache) keyOf(s string) Key {
	return Key{maphash.String(c.seeds[0], s), maphash.String(c.seeds[1], s)}
}

// with is the key of a list whose last text has the key next.
func (k Key) with(next Key) Key {
	const odd = 0x9e3779b97f4a7c15
	return Key{bits.RotateLeft64(k.first*odd, 29) ^ next.first, bits.RotateLeft64(k.second*odd, 31) ^ next.second}
}

// lookUp returns the entry of the key. keep is true if there is none, but the key was looked up not long ago.
func (c *Cache) lookUp(key Key) (e entry, keep bool) {
	own := c.shardOf(key)
	own.mu.Lock()
	defer own.mu.Unlock()
	e, found := own.entries.Get(key)
	if !found {
		slot := &own.seen[key.second%seenSlots]
		keep, *slot = *slot == key.second, key.second
	}
	return e, keep
}

func (c *Cache) add(key Key, e entry) {
	own := c.shardOf(key)
	own.mu.Lock()
	defer own.mu.Unlock()
	if own.entries.Contains(key) {
		return
	}
	own.entries.Add(key, e)
	for own.bytes += e.bytes; own.bytes > c.limit; {
		own.entries.RemoveOldest()
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
