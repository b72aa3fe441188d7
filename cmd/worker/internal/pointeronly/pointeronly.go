// Package pointeronly decides which dead letters must not copy their record, since a tenant forbids it.
package pointeronly

import (
	"slices"

	"confab/cmd/worker/internal/config"
	"confab/internal/kafka"
	"confab/internal/kafka/deadletter"
	"confab/sampling"
	"confab/schemas"
)

// all stands for every tenant.
const all = "*"

// New returns what decides for the dead letters of all roles; nil if every record may be copied. A letter whose tenant is
// unknown, since only the value could name it, must not be a copy.
func New(c *config.Config) func(l *deadletter.Letter) bool {
	forbid := c.Kafka.DeadLetters.PointerOnly
	if len(forbid) == 0 {
		return nil
	}
	inputs := map[string]config.Input{}
	for _, in := range c.Kafka.Inputs {
		inputs[in.Topic] = in
	}
	sampled := c.Kafka.Topics.Sampled
	return func(l *deadletter.Letter) bool {
		tenant := ""
		if input, known := inputs[l.Topic]; known {
			tenant = tenantOf(&input, l.Headers)
		} else if l.Topic == sampled {
			if _, t, err := schemas.ParseOrigin(lastHeader(l.Headers, sampling.HeaderOrigin)); err == nil {
				tenant = t
			}
		}
		return tenant == "" || slices.Contains(forbid, tenant) || slices.Contains(forbid, all)
	}
}

// tenantOf is the tenant of a record of an input; "" if it is unknown.
func tenantOf(in *config.Input, headers []kafka.Header) string {
	switch in.TenantFrom {
	case config.TenantFixed:
		return in.Tenant
	case config.TenantHeader:
		return string(lastHeader(headers, in.TenantHeader))
	}
	return ""
}

func lastHeader(headers []kafka.Header, key string) []byte {
	for _, h := range slices.Backward(headers) {
		if h.Key == key {
			return h.Value
		}
	}
	return nil
}
