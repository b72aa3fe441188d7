package budget

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

// tenant returns the tenant's account. Only commit stores a new one, so that names alone use no memory.
func (a *windowAccount) tenant(tenant string) *tenantAccount {
	if p := a.tenants[tenant]; p != nil {
		return p
	}
	return &tenantAccount{}
}

// refuses returns the limit that forbids the tenant to use that many tokens more; "" for none.
func (a *windowAccount) refuses(tenant string, tokens int64, l partitionLimits) Refusal {
	left := l.total
	for _, p := range a.tenants {
		left -= p.used
	}
	switch {
	case tokens > l.total:
		return RefusedTotal
	case tokens > l.tenant(tenant)-a.tenant(tenant).used:
		return RefusedTenant
	case tokens > left:
		return RefusedTotal
	}
	return ""
}

// unwritten returns the reservations by tenant that are not what is used.
func (a *windowAccount) unwritten() map[string]int64 {
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
