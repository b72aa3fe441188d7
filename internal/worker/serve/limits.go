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

// maxTenants bounds the token buckets: beyond it the one that was used longest ago is dropped, and counts as full.
const maxTenants = 10_000

// tenantLimits are token buckets by tenant.
type tenantLimits struct {
	config *config.Config

	mu      sync.Mutex
	buckets *lru.LRU[string, *rate.Limiter]
}

func newTenantLimits(c *config.Config) *tenantLimits {
	buckets, _ := lru.NewLRU[string, *rate.Limiter](maxTenants, nil) // it fails only without a size
	return &tenantLimits{config: c, buckets: buckets}
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
	l.mu.Lock()
	defer l.mu.Unlock()
	b, ok := l.buckets.Get(tenant)
	if !ok {
		b = rate.NewLimiter(rate.Limit(limit), cmp.Or(l.config.Serve.RateBurst, max(1, int(math.Ceil(limit)))))
		l.buckets.Add(tenant, b)
	}
	if b.AllowN(now, 1) {
		return 0
	}
	missing := 1 - b.TokensAt(now)
	return max(time.Second, time.Duration(missing/limit*float64(time.Second)))
}
