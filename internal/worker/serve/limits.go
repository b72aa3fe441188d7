package serve

import (
	"cmp"
	"math"
	"sync"
	"time"

	lru "github.com/hashicorp/golang-lru/v2/simplelru"
	"golang.org/x/time/rate"

	"confab/internal/worker/config"
)

// maxBuckets bounds the token buckets: beyond it the one that was used longest ago is dropped, and counts as full.
const maxBuckets = 10_000

// Votes that one login may send a second, and at once.
const (
	votesASecond = 20
	votesAtOnce  = 100
)

// tenantLimits are token buckets by tenant.
type tenantLimits struct {
	tokenBuckets

	config *config.Config
}

func newTenantLimits(c *config.Config) *tenantLimits {
	return &tenantLimits{newBuckets(), c}
}

// tokenBuckets are token buckets by name.
type tokenBuckets struct {
	mu      *sync.Mutex
	buckets *lru.LRU[string, *rate.Limiter]
}

func newBuckets() tokenBuckets {
	buckets, _ := lru.NewLRU[string, *rate.Limiter](maxBuckets, nil) // it fails only without a size
	return tokenBuckets{new(sync.Mutex), buckets}
}

// reserve takes a token of the tenant, or returns how long there is none.
func (l *tenantLimits) reserve(tenant string, now time.Time) (wait time.Duration) {
	limit := l.config.Serve.RateLimit
	if own := l.config.Tenants[tenant].Serve.RateLimit; own != nil {
		limit = *own
	}
	if limit == 0 {
		return 0
	}
	return l.take(tenant, limit, cmp.Or(l.config.Serve.RateBurst, max(1, int(math.Ceil(limit)))), now)
}

// take takes a token of the bucket, or returns how long there is none.
func (l *tokenBuckets) take(name string, limit float64, burst int, now time.Time) (wait time.Duration) {
	l.mu.Lock()
	defer l.mu.Unlock()
	b, ok := l.buckets.Get(name)
	if !ok {
		b = rate.NewLimiter(rate.Limit(limit), burst)
		l.buckets.Add(name, b)
	}
	if b.AllowN(now, 1) {
		return 0
	}
	missing := 1 - b.TokensAt(now)
	return max(time.Second, time.Duration(missing/limit*float64(time.Second)))
}
