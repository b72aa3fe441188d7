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

// TestPlan checks what is reserved before a call; an account is {reserved, used}.
func TestPlan(t *testing.T) {
	type accounts = map[string]*tenantAccount
	caps := map[string]int64{"small": 300, "none": 0}
	l := partitionLimits{total: 1000, block: 200, tenant: func(name string) int64 {
		if limit, ok := caps[name]; ok {
			return limit
		}
		return math.MaxInt64
	}}
	tests := map[string]struct {
		have    accounts
		tenant  string
		tokens  int64
		reserve map[string]int64
		refused Refusal
	}{
		"a block":                        {nil, "a", 50, map[string]int64{"a": 200}, ""},
		"more than a block":              {nil, "a", 500, map[string]int64{"a": 500}, ""},
		"from the block":                 {accounts{"a": {reserved: 200, used: 150}}, "a", 50, nil, ""},
		"beyond the block":               {accounts{"a": {reserved: 200, used: 150}}, "a", 60, map[string]int64{"a": 400}, ""},
		"another holds the block":        {accounts{"b": {reserved: 200, used: 10}}, "a", 60, map[string]int64{"a": 60}, ""},
		"another holds half of it":       {accounts{"b": {reserved: 200, used: 100}}, "a", 60, map[string]int64{"a": 100}, ""},
		"all there is":                   {accounts{"b": {reserved: 950, used: 950}}, "a", 50, map[string]int64{"a": 50}, ""},
		"more than there is":             {accounts{"b": {reserved: 950, used: 950}}, "a", 51, nil, RefusedTotal},
		"taken back from blocks":         {accounts{"b": {reserved: 900, used: 700}, "c": {reserved: 100, used: 50}}, "a", 220, map[string]int64{"a": 220, "b": 700, "c": 80}, ""},
		"too much even so":               {accounts{"b": {reserved: 900, used: 700}, "c": {reserved: 100, used: 50}}, "a", 251, nil, RefusedTotal},
		"a tenant's limit":               {nil, "small", 300, map[string]int64{"small": 300}, ""},
		"beyond it":                      {nil, "small", 301, nil, RefusedTenant},
		"a block up to it":               {accounts{"small": {reserved: 200, used: 200}}, "small", 1, map[string]int64{"small": 300}, ""},
		"nothing allowed":                {nil, "none", 1, nil, RefusedTenant},
		"above every limit":              {nil, "a", math.MaxInt64, nil, RefusedTotal},
		"an overdrawn account":           {accounts{"a": {reserved: 100, used: 130}}, "a", 10, map[string]int64{"a": 300}, ""},
		"another's overdraft is written": {accounts{"b": {reserved: 100, used: 130}}, "a", 250, map[string]int64{"a": 250, "b": 130}, ""},
		"an overdraft counts":            {accounts{"b": {reserved: 100, used: 960}}, "a", 41, nil, RefusedTotal},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			a := newAccount(windowAt(time.Unix(0, 0), time.Hour))
			maps.Copy(a.tenants, tt.have)
			reserve, refused := a.plan(tt.tenant, tt.tokens, l)
			require.Equal(t, tt.refused, refused)
			require.Equal(t, tt.reserve, reserve)
			require.Len(t, a.tenants, len(tt.have), "a plan changes nothing")
		})
	}
}

func TestLoadedReservationsCountAsUsed(t *testing.T) {
	a := newAccount(windowAt(time.Unix(0, 0), time.Hour))
	a.loadReserved("a", budgetValue{Reserved: 100, Spent: 10})
	reserve, _ := a.plan("a", 1, partitionLimits{total: 1000, tenant: func(string) int64 { return 1000 }})
	require.Equal(t, map[string]int64{"a": 101}, reserve, "the use of the earlier block is unknown")
}
