package serve

import (
	"cmp"
	"math"
	"sync"
	"time"

	"golang.org/x/time/rate"

	"confab/internal/worker/config"
)

// maxTenants bounds the token buckets. Beyond it full ones are dropped, or else any: a missing one counts as full.
const maxTenants = 10_000

// tenantLimits are token buckets by tenant.
type tenantLimits struct {
	config *config.Config

	mu      sync.Mutex
	buckets map[string]*rate.Limiter
}

func newTenantLimits(c *config.Config) *tenantLimits {
	return &tenantLimits{config: c, buckets: make(map[string]*rate.Limiter)}
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
	b, ok := l.buckets[tenant]
	if !ok {
		l.dropFull(now)
		b = rate.NewLimiter(rate.Limit(limit), cmp.Or(l.config.Serve.RateBurst, max(1, int(math.Ceil(limit)))))
		l.buckets[tenant] = b
	}
	if b.AllowN(now, 1) {
		return 0
	}
	missing := 1 - b.TokensAt(now)
	return max(time.Second, time.Duration(missing/limit*float64(time.Second)))
}

func (l *tenantLimits) dropFull(now time.Time) {
	if len(l.buckets) < maxTenants {
		return
	}
	for tenant, b := range l.buckets {
		if b.TokensAt(now) >= float64(b.Burst()) {
			delete(l.buckets, tenant)
		}
	}
	for tenant := range l.buckets {
		if len(l.buckets) < maxTenants*9/10 { // many at once: each call looks at all of them
			return
		}
		delete(l.buckets, tenant)
	}
}
