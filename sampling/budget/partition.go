package budget

import (
	"context"
	"fmt"
	"sync"
	"sync/atomic"
	"time"
)

const (
	// reopenPause is the time after a failed write in which the log is not opened again. By then the consumer group has
	// revoked a lost partition.
	reopenPause = 5 * time.Second
	// maxDeletions bounds the expired records that one write deletes.
	maxDeletions = 500
)

// ledgerPart is a partition that the process owns.
type ledgerPart struct {
	number   int32
	opts     *LedgerOptions
	limits   partitionLimits
	released atomic.Bool

	lock     chan struct{} // a semaphore that guards log, keys and reopenAt
	log      Log           // nil until opened, and after a failure
	keys     map[budgetKey]struct{}
	reopenAt time.Time // earliest time to open the log again

	mu      sync.Mutex
	account *windowAccount // nil without a log
}

func (p *ledgerPart) reserve(ctx context.Context, tenant string, tokens int64) (Grant, error) {
	select {
	case p.lock <- struct{}{}:
	case <-ctx.Done():
		return Grant{}, fmt.Errorf("wait to reserve tokens: %w", ctx.Err())
	}
	defer p.unlock()
	if p.released.Load() {
		return Grant{}, errNotAssigned(p.number)
	}
	if err := p.open(ctx); err != nil {
		return Grant{}, err
	}
	// A write can last until the next window; then plan again.
	for {
		if err := p.advanceWindow(); err != nil {
			return Grant{}, err
		}
		grant, reserve := p.grant(tenant, tokens)
		if grant.OK || grant.Refusal != "" {
			return grant, nil
		}
		if err := p.write(ctx, reserve); err != nil {
			return Grant{}, err
		}
	}
}

// grant grants tokens that are reserved, or returns what to reserve first: also what other calls have left or exceeded.
func (p *ledgerPart) grant(tenant string, tokens int64) (g Grant, reserve map[string]int64) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if refused := p.account.refuses(tenant, tokens, p.limits); refused != "" {
		return Grant{Refusal: refused}, nil
	}
	account := p.account.tenant(tenant)
	if account.used+tokens > account.reserved {
		reserve = p.account.unwritten()
		reserve[tenant] = account.used + tokens
		return Grant{}, reserve
	}
	account.used += tokens
	return Grant{OK: true, reservation: &reservation{part: p, account: account, tokens: tokens}}, nil
}

// onPace implements Ledger.OnPace. A partition whose log is not open yet is.
func (p *ledgerPart) onPace() bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	in := windowAt(p.opts.Now(), p.opts.Budget.Window)
	if p.account == nil || in.start.After(p.account.window.start) {
		return true
	}
	used := 0.0
	for _, t := range p.account.tenants {
		used += float64(t.used)
	}
	gone := p.opts.Now().Sub(in.start)
	return used <= float64(p.limits.total)*gone.Seconds()/in.length.Seconds()
}

// open opens the budget log and fences earlier owners.
func (p *ledgerPart) open(ctx context.Context) error {
	if p.log != nil {
		return nil
	}
	if left := p.reopenAt.Sub(p.opts.Now()); left > 0 && left <= reopenPause {
		return fmt.Errorf("reserve tokens: the budget log of partition %d could not be written: it is opened again in %v", p.number, left)
	}
	log, err := p.opts.Open(ctx, p.number)
	if err != nil {
		return fmt.Errorf("open budget log: %w", err)
	}
	if err := p.load(log.Last()); err != nil {
		log.Close()
		return err
	}
	p.log = log
	return nil
}

// load sets the window, the later one of the log and the clock, and its reservations.
func (p *ledgerPart) load(last map[string][]byte) error {
	in := windowAt(p.opts.Now(), p.opts.Budget.Window)
	p.keys = make(map[budgetKey]struct{})
	for text := range last {
		key, ok := parseBudgetKey(text)
		if !ok || key.partition != p.number {
			continue
		}
		p.keys[key] = struct{}{}
		if key.window.length == in.length && key.window.start.After(in.start) {
			in = key.window
		}
	}
	a := newAccount(in)
	for key := range p.keys {
		if key.window != in {
			continue
		}
		v, err := decodeBudgetValue(last[key.String()])
		if err != nil {
			return fmt.Errorf("read budget log: damaged record; delete the key %q in partition %d: %w", key, p.number, err)
		}
		a.tenants[key.tenant] = &tenantAccount{reserved: v.Reserved, used: v.Reserved, spent: v.Spent} // what earlier owners reserved counts as used
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	p.account = a
	return nil
}

// advanceWindow starts a new window when it is due. It never returns to an earlier one.
func (p *ledgerPart) advanceWindow() error {
	now := p.opts.Now()
	at := windowAt(now, p.opts.Budget.Window)
	p.mu.Lock()
	defer p.mu.Unlock()
	in := p.account.window
	if at.start.After(in.start) {
		p.account = newAccount(at)
	}
	if in.start.Sub(now) > in.length {
		return fmt.Errorf("the budget log of partition %d has the window from %v, and the clock is far behind: "+
			"correct the clock, or delete the records of that window", p.number, in.start)
	}
	return nil
}

// write makes reservations durable.
func (p *ledgerPart) write(ctx context.Context, reserve map[string]int64) error {
	values := make(map[string][]byte, len(reserve))
	written := make([]budgetKey, 0, len(reserve))
	p.mu.Lock()
	in := p.account.window
	for tenant, tokens := range reserve {
		key := budgetKey{tenant, in, p.number}
		written = append(written, key)
		values[key.String()] = budgetValue{Reserved: tokens, Spent: p.account.tenant(tenant).spent}.encode()
	}
	p.mu.Unlock()
	old := p.expiredKeys(in)
	for _, key := range old {
		values[key.String()] = nil
	}
	if err := p.log.Append(ctx, values); err != nil {
		p.closeLog()
		p.reopenAt = p.opts.Now().Add(reopenPause)
		return fmt.Errorf("reserve tokens: %w", err)
	}
	for _, key := range old {
		delete(p.keys, key)
	}
	for _, key := range written {
		p.keys[key] = struct{}{}
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	p.account.commit(reserve)
	return nil
}

// expiredKeys are keys of windows before the previous one, which is kept for reports.
func (p *ledgerPart) expiredKeys(in budgetWindow) (list []budgetKey) {
	for key := range p.keys {
		if !key.window.start.Add(2*key.window.length).After(in.start) && len(list) < maxDeletions {
			list = append(list, key)
		}
	}
	return list
}

// closeLog closes the log. Grants stay valid; what they leave is lost to the window.
func (p *ledgerPart) closeLog() {
	p.log.Close()
	p.mu.Lock()
	defer p.mu.Unlock()
	p.log, p.account = nil, nil
}

// unlock also closes the log of a partition that was released meanwhile.
func (p *ledgerPart) unlock() {
	<-p.lock
	if p.released.Load() {
		p.closeUnlessLocked(func() {})
	}
}

func (p *ledgerPart) release(ctx context.Context) {
	p.released.Store(true)
	p.closeUnlessLocked(func() {
		p.mu.Lock()
		unused := p.account.unwritten()
		p.mu.Unlock()
		if len(unused) > 0 && ctx.Err() == nil {
			_ = p.write(ctx, unused) // on failure they are lost, as after a crash
		}
	})
}

// closeUnlessLocked calls first and closes the log, unless the lock is held: unlock closes it then.
func (p *ledgerPart) closeUnlessLocked(first func()) {
	select {
	case p.lock <- struct{}{}:
	default:
		return
	}
	if p.log != nil {
		first()
	}
	if p.log != nil {
		p.closeLog()
	}
	<-p.lock
}

// reservation is a grant that can be settled.
type reservation struct {
	part    *ledgerPart
	account *tenantAccount
	tokens  int64
	done    bool
}

func (h *reservation) addUsage(used int64) {
	h.part.mu.Lock()
	defer h.part.mu.Unlock()
	if h.done {
		return
	}
	h.done = true
	h.account.used += used - h.tokens
	h.account.spent += used
}
