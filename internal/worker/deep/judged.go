package deep

import (
	"crypto/sha256"
	"fmt"
	"time"

	lru "github.com/hashicorp/golang-lru/v2"

	"confab/schemas"
)

// maxJudged is the number of verdicts that are remembered.
const maxJudged = 16_384

// judgedCache remembers verdicts on equal statements and sources of a tenant for a window, so that they are paid for once. It
// is safe for concurrent use.
type judgedCache struct {
	window  time.Duration
	entries *lru.Cache[[sha256.Size]byte, judgedEntry]
}

type judgedEntry struct {
	at       time.Time
	verdict  schemas.Verdict
	relation schemas.Relation
}

// newJudgedCache returns a cache for windows of that length.
func newJudgedCache(window time.Duration) *judgedCache {
	entries, _ := lru.New[[sha256.Size]byte, judgedEntry](maxJudged) // fails for sizes below 1 only
	return &judgedCache{window: window, entries: entries}
}

// judgedKey is the key of what a model says about the parts for a tenant.
func judgedKey(m endpointMeter, kind string, parts ...any) [sha256.Size]byte {
	return sha256.Sum256(fmt.Appendf(nil, "%q %q %q %q %q", kind, m.session.tenant, m.client.endpoint.BaseURL, m.client.endpoint.Model, parts))
}

// judgeNew asks for what no entry of the window answers, and returns one value for each key, in order. ask gets the indices
// of the keys that are not known and returns one value for each. Without such keys it is not called.
func judgeNew[T any](m endpointMeter, keys [][sha256.Size]byte, part func(*judgedEntry) *T, ask func(missing []int) ([]T, schemas.Usage, error)) ([]T, schemas.Usage, error) {
	now, cache := m.session.started, m.session.judged
	values := make([]T, len(keys))
	var missing []int
	for i, key := range keys {
		if e, ok := cache.entries.Get(key); ok && now.Sub(e.at) < cache.window {
			values[i] = *part(&e)
		} else {
			missing = append(missing, i)
		}
	}
	if len(missing) == 0 {
		return values, schemas.Usage{}, nil
	}
	judged, used, err := ask(missing)
	if err != nil || len(judged) != len(missing) {
		return judged, used, err
	}
	for n, i := range missing {
		values[i] = judged[n]
		e := judgedEntry{at: now}
		*part(&e) = judged[n]
		cache.entries.Add(keys[i], e)
	}
	return values, used, nil
}

// selectAt returns the elements at the indices.
func selectAt[T any](all []T, indices []int) []T {
	selected := make([]T, len(indices))
	for n, i := range indices {
		selected[n] = all[i]
	}
	return selected
}
