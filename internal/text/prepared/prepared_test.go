package prepared

import (
	"fmt"
	"strings"
	"sync"
	"testing"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/testutil"
	"github.com/stretchr/testify/require"

	"confab/internal/text"
)

func longText(i int) string {
	return fmt.Sprintf("Source %d. ", i) + strings.Repeat("The bridge opened in 1936. ", 8)
}

// read looks s up and gives it to the cache if that asks for it.
func read(c *Cache, s string) (held bool) {
	t, key, keep := c.Find(s)
	if keep {
		c.Keep(key, Text{Tokens: text.AppendTokens(nil, s)})
	}
	return t != nil
}

func TestKeepsFromTheSecondTimeOn(t *testing.T) {
	c := NewCache(1 << 20)
	s := longText(1)
	require.False(t, read(c, s))
	require.Zero(t, c.Stats().Bytes, "a text that was read once takes no memory")
	require.False(t, read(c, s))
	require.True(t, read(c, s))
	found, _, _ := c.Find(s)
	require.Equal(t, text.AppendTokens(nil, s), found.Tokens)
	require.Equal(t, Stats{Hits: 2, Misses: 2, Bytes: entryBytes + found.size()}, c.Stats())

	require.False(t, read(c, s+" "), "one byte more is another text")
	for range 3 {
		require.False(t, read(c, "short"))
	}
	require.Equal(t, uint64(3), c.Stats().Misses, "a short text is not looked up")
}

func TestMemoryIsBounded(t *testing.T) {
	const limit = 1 << 20
	c := NewCache(limit)
	for i := range 5_000 {
		read(c, longText(i))
		read(c, longText(i))
		require.LessOrEqual(t, c.Stats().Bytes, int64(limit))
	}
	require.Greater(t, c.Stats().Bytes, int64(limit/2))
	require.True(t, read(c, longText(4_999)), "the last one is held")
	require.False(t, read(c, longText(0)), "the first one is not")

	huge := strings.Repeat(longText(1), 100)
	read(c, huge)
	read(c, huge)
	require.False(t, read(c, huge), "a text larger than the share of the cache is not kept")
}

func TestKeepCopies(t *testing.T) {
	c := NewCache(1 << 20)
	s := longText(7)
	_, key, _ := c.Find(s)
	tokens := text.AppendTokens(nil, s)
	want := tokens[0]
	c.Keep(key, Text{Tokens: tokens})
	tokens[0] = text.Token{}
	found, _, _ := c.Find(s)
	require.Equal(t, want, found.Tokens[0])
}

func TestWithoutCache(t *testing.T) {
	c := NewCache(0)
	require.Nil(t, c)
	require.False(t, read(c, longText(1)))
	require.Zero(t, c.Stats())
}

func TestConcurrentUse(t *testing.T) {
	c := NewCache(1 << 18)
	var done sync.WaitGroup
	for range 4 {
		done.Go(func() {
			for i := range 2_000 {
				s := longText(i % 50)
				if found, key, keep := c.Find(s); found != nil {
					if len(found.Tokens) == 0 {
						t.Error("an empty text")
					}
				} else if keep {
					c.Keep(key, Text{Tokens: text.AppendTokens(nil, s)})
				}
			}
		})
	}
	done.Wait()
	require.LessOrEqual(t, c.Stats().Bytes, int64(1<<18))
	require.Positive(t, c.Stats().Hits)
}

func TestMetrics(t *testing.T) {
	registry := prometheus.NewRegistry()
	c := NewCache(1 << 20)
	c.Register(registry)
	for range 3 {
		read(c, longText(1))
	}
	require.NoError(t, testutil.GatherAndCompare(registry, strings.NewReader(`
# HELP confab_source_cache_lookups_total Sources that were looked up in the cache of sources, by result: hit, miss. Sources under 128 bytes are not.
# TYPE confab_source_cache_lookups_total counter
confab_source_cache_lookups_total{result="hit"} 1
confab_source_cache_lookups_total{result="miss"} 2
`), "confab_source_cache_lookups_total"))
}
