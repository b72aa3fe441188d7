package budget

import (
	"cmp"
	"maps"
	"slices"
)

// partOf is a partition's part of a limit. The parts of all partitions add up to the limit; partitions beyond their
// number have 0.
func partOf(limit int64, partition, partitions int32) int64 {
	if partition < 0 || partition >= partitions {
		return 0
	}
	part := limit / int64(partitions)
	if int64(partition) < limit%int64(partitions) {
		part++
	}
	return part
}

// partitionLimits are the limits of one partition, in tokens.
type partitionLimits struct {
	total  int64
	tenant func(name string) int64
	block  int64 // most tokens reserved ahead, for all tenants together
}

// windowAccount is what one partition may spend in one window. It only computes; the caller makes changes durable.
type windowAccount struct {
	window  budgetWindow
	tenants map[string]*tenantAccount
}

// tenantAccount is a tenant's part of an account.
type tenantAccount struct {
	reserved int64 // durable: what the tenant may have spent, also in earlier processes
	used     int64 // granted and not returned; more than reserved when a call exceeded its grant
	spent    int64 // as reported
}

func newAccount(w budgetWindow) *windowAccount {
	return &windowAccount{w, make(map[string]*tenantAccount)}
}

// loadReserved adds the reservations of earlier owners. All of them count as used.
func (a *windowAccount) loadReserved(tenant string, v budgetValue) {
	a.tenants[tenant] = &tenantAccount{reserved: v.Reserved, used: v.Reserved, spent: v.Spent}
}

// tenant returns the tenant's account. Only commit stores a new one, so that names alone use no memory.
func (a *windowAccount) tenant(tenant string) *tenantAccount {
	if p := a.tenants[tenant]; p != nil {
		return p
	}
	return &tenantAccount{}
}

func (a *windowAccount) committed() (sum int64) {
	for _, p := range a.tenants {
		sum += max(p.reserved, p.used)
	}
	return sum
}

// plan returns the reservations, by tenant, that are needed before the tenant may use that many tokens; none when its
// block has them.
func (a *windowAccount) plan(tenant string, tokens int64, l partitionLimits) (reserve map[string]int64, refused Refusal) {
	if tokens > l.total {
		return nil, RefusedTotal
	}
	p := a.tenant(tenant)
	need := tokens - (p.reserved - p.used)
	if need <= 0 {
		return nil, ""
	}
	tenantLeft := l.tenant(tenant) - p.reserved
	if need > tenantLeft {
		return nil, RefusedTenant
	}
	left := l.total - a.committed() + max(p.used-p.reserved, 0)
	reserve = make(map[string]int64)
	if need > left {
		left += a.reclaim(reserve, tenant, need-left)
	}
	if need > left {
		return nil, RefusedTotal
	}
	ahead := min(l.block-a.ahead(reserve, tenant), tenantLeft, left)
	reserve[tenant] = p.reserved + max(need, ahead)
	a.overdrawn(reserve)
	return reserve, ""
}

// ahead is the sum that other tenants have reserved and not used, after the changes.
func (a *windowAccount) ahead(changes map[string]int64, but string) (sum int64) {
	for name, p := range a.tenants {
		if name == but {
			continue
		}
		reserved := p.reserved
		if tokens, ok := changes[name]; ok {
			reserved = tokens
		}
		sum += max(reserved-p.used, 0)
	}
	return sum
}

// reclaim takes missing tokens from other tenants' blocks, the largest first, and returns their sum.
func (a *windowAccount) reclaim(reserve map[string]int64, but string, missing int64) (got int64) {
	free := func(name string) int64 { return a.tenants[name].reserved - a.tenants[name].used }
	names := slices.SortedFunc(maps.Keys(a.tenants), func(x, y string) int {
		return cmp.Or(cmp.Compare(free(y), free(x)), cmp.Compare(x, y))
	})
	for _, name := range names {
		if take := min(free(name), missing-got); name != but && take > 0 {
			reserve[name] = a.tenants[name].reserved - take
			got += take
		}
	}
	return got
}

// overdrawn adds usage above the reservation, which the next owner must count.
func (a *windowAccount) overdrawn(reserve map[string]int64) {
	for name, p := range a.tenants {
		if _, ok := reserve[name]; !ok && p.used > p.reserved {
			reserve[name] = p.used
		}
	}
}

// unused returns reservations without the unused tokens, for the next owner.
func (a *windowAccount) unused() map[string]int64 {
	reserve := make(map[string]int64)
	for name, p := range a.tenants {
		if p.reserved != p.used {
			reserve[name] = p.used
		}
	}
	return reserve
}

// commit stores reservations that are durable.
func (a *windowAccount) commit(reserve map[string]int64) {
	for name, tokens := range reserve {
		p := a.tenant(name)
		p.reserved = tokens
		a.tenants[name] = p
	}
}

// use takes tokens that plan found or commit added.
func (a *windowAccount) use(tenant string, tokens int64) *tenantAccount {
	p := a.tenant(tenant)
	p.used += tokens
	return p
}
