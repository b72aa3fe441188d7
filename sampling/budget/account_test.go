package budget

import (
	"maps"
	"math"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

func TestSharesAddUpToTheLimit(t *testing.T) {
	for _, limit := range []int64{0, 1, 5, 6, 7, 1_000_000, math.MaxInt64} {
		for _, n := range []int32{1, 2, 6, 64} {
			var sum int64
			for p := range n {
				part := partOf(limit, p, n)
				require.LessOrEqual(t, part-partOf(limit, n-1, n), int64(1), "shares differ by one at most")
				sum += part
			}
			require.Equal(t, limit, sum, "%d partitions", n)
			require.Zero(t, partOf(limit, n, n), "a partition that was added later")
			require.Zero(t, partOf(limit, -1, n))
		}
	}
}

// TestRefuses checks what may be used; an account is {reserved, used}.
func TestRefuses(t *testing.T) {
	type accounts = map[string]*tenantAccount
	caps := map[string]int64{"small": 300, "none": 0}
	l := partitionLimits{total: 1000, tenant: func(name string) int64 {
		if limit, ok := caps[name]; ok {
			return limit
		}
		return math.MaxInt64
	}}
	tests := map[string]struct {
		have    accounts
		tenant  string
		tokens  int64
		refused Refusal
	}{
		"all there is":         {accounts{"b": {reserved: 950, used: 950}}, "a", 50, ""},
		"more than there is":   {accounts{"b": {reserved: 950, used: 950}}, "a", 51, RefusedTotal},
		"what another left":    {accounts{"b": {reserved: 900, used: 700}}, "a", 300, ""},
		"too much even so":     {accounts{"b": {reserved: 900, used: 700}}, "a", 301, RefusedTotal},
		"a tenant's limit":     {nil, "small", 300, ""},
		"beyond it":            {nil, "small", 301, RefusedTenant},
		"the rest of it":       {accounts{"small": {reserved: 300, used: 200}}, "small", 100, ""},
		"nothing allowed":      {nil, "none", 1, RefusedTenant},
		"above every limit":    {nil, "a", math.MaxInt64, RefusedTotal},
		"an overdraft counts":  {accounts{"b": {reserved: 100, used: 960}}, "a", 41, RefusedTotal},
		"the tenant's as well": {accounts{"small": {reserved: 100, used: 310}}, "small", 1, RefusedTenant},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			a := newAccount(windowAt(time.Unix(0, 0), time.Hour))
			maps.Copy(a.tenants, tt.have)
			require.Equal(t, tt.refused, a.refuses(tt.tenant, tt.tokens, l))
			require.Len(t, a.tenants, len(tt.have), "a question changes nothing")
		})
	}
}
