package alerting

import (
	"context"
	"fmt"
	"slices"
	"time"

	"confab/schemas"
)

// book is what this process knows about what is to be told and what was: groups, the portions of them that its
// partitions hold, messages. It decides and remembers; it does nothing. Its caller owns the lock, the clock and every
// write, and applies a change to the book only when the log has it.
type book struct {
	opts       GroupOptions
	policy     *Policy
	edits      bool // the sink can edit
	replies    bool // it can add details
	partitions int
	newID      func() string

	shelves      map[int32]*shelf
	groups       map[string]*group
	messages     map[string]*notice
	channels     map[string]*channel
	size         stateSize           // of the portions of all shelves
	held         map[string]int      // portions by pool
	named        map[string]struct{} // tenants that the configuration names
	unnamed      int                 // pools of other tenants, beside the shared one
	silences     map[string]schemas.Silence
	labels       labelBook
	fresh        []*portion    // loaded, not yet joined with their messages
	news         chan struct{} // a channel was made
	toShrink     chan struct{} // the state is near its limit, or a partition has overflow groups
	nearLimit    bool          // the state is near its limit: what is delivered and old leaves it
	nextEviction time.Time     // when messages may be chosen for eviction again
	nextSilence  time.Time     // when the next silence begins; zero for never
	clock        time.Time     // the latest reading; see follow
}

// shelf is a partition that belongs to this process. Whoever holds its turn is the only one who writes to its log and
// changes the records of its portions.
type shelf struct {
	number   int32
	log      Log
	turn     chan struct{} // holds one token while somebody has the turn
	loaded   chan struct{} // closed once it is loaded
	gone     chan struct{} // closed once it is revoked
	portions map[string]*portion
	overflow map[string]overflowGroup // groups of the log that do not fit into memory
	leads    map[string]*schemas.Flag // an incident of theirs, by the group that is to count them
	expired  map[string]struct{}      // members in the log that no longer count
}

// group is what incidents have in common, whichever partitions they come from.
type group struct {
	key      string
	labels   schemas.AlertGroupLabels
	lane     schemas.Lane
	detector string // of a group that is about a detector, not about incidents
	share    float64
	channel  *channel
	portions []*portion
	live     *notice // the message that further portions join
	pool     string  // who shares new messages and digests with it: a tenant, or "" for the tenants without one
}

// portion is what one partition holds of a group. Its record is as the log has it, but for what members add.
type portion struct {
	group *group
	shelf *shelf
	rec   schemas.AlertState
	size  int // bytes in memory, estimated
	msg   *notice
	doubt bool // an earlier message, which is not ours to look for, may have told of it

	touched time.Time     // when a member last joined
	since   time.Time     // when the first member that is not shown was detected
	next    *schemas.Flag // that member
}

// notice is a message: what stands, or is about to stand, in a channel.
type notice struct {
	id      string
	kind    schemas.AlertKind
	lane    schemas.Lane
	cause   schemas.DigestCause
	tenant  string
	channel *channel

	portions map[*portion]struct{}
	untold   int64     // of all portions
	last     time.Time // when a member last joined
	told     bool
	receipt  schemas.Receipt
	opened   time.Time // when it was posted
	lastTold time.Time
	planned  time.Time // when it was first about to be posted

	mayRepeat bool      // an attempt of unknown end was made
	marked    bool      // it says so where it stands, beside the other one perhaps
	counted   bool      // as one that may repeat
	urgent    bool      // due at once
	unsure    bool      // it may show more than the log knows, so it is edited before portions leave it
	edits     bool      // its sink can edit
	torn      bool      // it has lost a portion, so it can no longer be edited
	notBefore time.Time // the sink refuses it as it is
}

// channel is one place where messages go. Channels do not wait for each other.
type channel struct {
	name     string
	messages map[*notice]struct{}
	waiting  map[*group]struct{}     // groups with portions that no message tells
	torn     map[digestKey]time.Time // when the last digest was posted that was left for want of memory

	changedGroups   map[*group]struct{}  // since the planner last classified them
	changedMessages map[*notice]struct{} // likewise, those that are forgotten included

	replies  []reply
	poke     chan struct{} // something changed
	busy     bool
	failures int // in a row
}

// reply is a detail to be added below a message.
type reply struct {
	msg  *notice
	flag schemas.Flag
}

const maxReplies = 100 // waiting in a channel; further ones are left out

// bookOptions configure a book.
type bookOptions struct {
	Policy     *Policy      // nil: everything at once, in the sink's own channel
	Groups     GroupOptions // what is zero has its default
	Tenants    []string     // that the configuration names, beside those of Policy
	Partitions int          // of llm.incidents, of this process or of others
	Edits      bool         // the sink can edit
	Replies    bool         // it can add details
	NewID      func() string
}

// newBook makes a book without partitions.
func newBook(o bookOptions) *book {
	if o.Policy == nil {
		o.Policy = NewPolicy(PolicyOptions{})
	}
	return &book{
		opts: o.Groups.WithDefaults(), policy: o.Policy, edits: o.Edits, replies: o.Replies, partitions: o.Partitions, newID: o.NewID,
		shelves: make(map[int32]*shelf), groups: make(map[string]*group), messages: make(map[string]*notice),
		channels: make(map[string]*channel),
		held:     make(map[string]int), named: namedTenants(&o), toShrink: make(chan struct{}, 1), news: make(chan struct{}, 1),
		silences: make(map[string]schemas.Silence), labels: newLabels(),
	}
}

// ready reports that every partition of this process is loaded. Before, nothing is told: what a partition holds may
// have been told already.
func (b *book) ready() bool {
	for _, s := range b.shelves {
		if !s.isLoaded() {
			return false
		}
	}
	return len(b.shelves) > 0
}

// share is what one partition of this process may take of the state when it is loaded.
func (b *book) share() stateSize { return b.limit().fraction(1, max(1, len(b.shelves))) }

// waitLoaded waits until the partition is loaded; it fails with ErrNotOwned once it is revoked.
func (s *shelf) waitLoaded(ctx context.Context) error {
	select {
	case <-s.loaded:
		return nil
	case <-s.gone:
		return ErrNotOwned
	case <-ctx.Done():
		return fmt.Errorf("wait for the state of alerts: %w", ctx.Err())
	}
}

// acquire takes the turn of a partition, which release gives back.
func (s *shelf) acquire(ctx context.Context) error {
	select {
	case s.turn <- struct{}{}:
		return nil
	case <-ctx.Done():
		return fmt.Errorf("wait for a turn to write the state of alerts: %w", ctx.Err())
	}
}

// release gives the turn back.
func (s *shelf) release() { <-s.turn }

// put writes entries to the partition's log. The caller has the partition's turn.
func (s *shelf) put(ctx context.Context, entries ...Entry) error {
	if err := s.log.Put(ctx, entries...); err != nil {
		return fmt.Errorf("write the state of alerts: %w", err)
	}
	return nil
}

// knows reports that the partition's log has a record under the key.
func (s *shelf) knows(key string) bool {
	_, known := s.log.Get(key)
	return known
}

// isLoaded reports that the partition is loaded.
func (s *shelf) isLoaded() bool { return closed(s.loaded) }

// isGone reports that the partition no longer belongs to this process.
func (s *shelf) isGone() bool { return closed(s.gone) }

func closed(c <-chan struct{}) bool {
	select {
	case <-c:
		return true
	default:
		return false
	}
}

// channel finds or makes the channel of a name.
func (b *book) channel(name string) *channel {
	c, ok := b.channels[name]
	if !ok {
		c = &channel{
			name: name, messages: make(map[*notice]struct{}), waiting: make(map[*group]struct{}),
			torn: make(map[digestKey]time.Time), poke: make(chan struct{}, 1),
			changedGroups: make(map[*group]struct{}), changedMessages: make(map[*notice]struct{}),
		}
		b.channels[name] = c
		poke(b.news)
	}
	return c
}

// group finds or makes the group of a key.
func (b *book) group(key string, k groupKind) *group {
	g, ok := b.groups[key]
	if !ok {
		g = &group{
			key: key, labels: k.labels, lane: k.lane, detector: k.detector, share: k.share,
			channel: b.channel(b.policy.ChannelFor(k.labels.Tenant, k.lane)), pool: b.pool(k.labels.Tenant),
		}
		b.groups[key] = g
	}
	return g
}

// add puts a portion in its places.
func (b *book) add(p *portion) {
	p.group.portions = append(p.group.portions, p)
	p.shelf.portions[p.group.key] = p
	p.size = sizeOf(p)
	b.charge(p.group.pool, 1, p.size)
}

// drop forgets a portion.
func (b *book) drop(p *portion) {
	b.detach(p)
	delete(p.shelf.portions, p.group.key)
	p.group.portions = slices.DeleteFunc(p.group.portions, func(o *portion) bool { return o == p })
	b.charge(p.group.pool, -1, -p.size)
	b.refresh(p.group)
	if len(p.group.portions) == 0 {
		delete(b.groups, p.group.key)
	}
}

// attach makes m the message of p.
func (b *book) attach(p *portion, m *notice) {
	b.detach(p)
	p.msg = m
	m.portions[p] = struct{}{}
	m.untold += p.untold()
	m.last = latest(m.last, p.touched)
	m.urgent = m.urgent || p.rec.Group.Changed && m.told && b.edits
	if !m.torn {
		p.group.live = m
	}
	m.changed()
	b.refresh(p.group)
}

// detach takes p out of its message, in memory alone.
func (b *book) detach(p *portion) {
	m := p.msg
	if m == nil {
		return
	}
	p.msg = nil
	delete(m.portions, p)
	m.untold -= p.untold()
	m.changed()
	if len(m.portions) == 0 {
		b.forget(m)
	}
	if p.group.live == m {
		p.group.live = nil
		for _, other := range p.group.portions {
			if other.msg == m && !m.torn {
				p.group.live = m
			}
		}
	}
	b.refresh(p.group)
}

// changed marks a message.
func (m *notice) changed() { m.channel.changedMessages[m] = struct{}{} }

// digestKey is what the incidents of a digest have in common.
type digestKey struct {
	pool  string
	lane  schemas.Lane
	cause schemas.DigestCause
}

// digestKey is the key of the message as a digest.
func (m *notice) digestKey() digestKey {
	return digestKey{pool: m.tenant, lane: m.lane, cause: m.cause}
}

func (b *book) forget(m *notice) {
	delete(b.messages, m.id)
	delete(m.channel.messages, m)
	m.changed()
}

// refresh notes whether the group has portions that wait for a message.
func (b *book) refresh(g *group) {
	g.channel.changedGroups[g] = struct{}{}
	for _, p := range g.portions {
		if p.waiting() {
			g.channel.waiting[g] = struct{}{}
			return
		}
	}
	delete(g.channel.waiting, g)
}
