package dispatch

import (
	"slices"
	"time"

	"github.com/hashicorp/golang-lru/v2/simplelru"

	"confab/alerting"
	"confab/schemas"
)

// store holds groups, their parts by partition, messages and channels of this process. It plans changes and applies them
// when the log has them. The caller owns the lock, the clock and every write.
type store struct {
	options       GroupOptions
	policy        *alerting.Policy
	canEdit       bool
	allPartitions int
	newID         func() string

	partitions        map[int32]*partition
	groups            map[string]*group
	messages          map[string]*message
	channels          map[string]*channel
	maxParts          int // of a partition
	configuredTenants map[string]struct{}
	groupsByPool      map[string]int
	silences          map[string]schemas.Silence
	feedback          *recentFeedback
	loadedParts       []*groupPart  // loaded, not yet attached to their messages
	newChannels       chan struct{} // signals a new channel
	newWaiting        chan struct{} // signals a new alert that waits
}

// group is what incidents of all partitions have in common.
type group struct {
	key      string
	labels   schemas.AlertGroupLabels
	severity schemas.Severity
	channel  *channel
	parts    []*groupPart
	open     *message // the message that further parts are attached to
	pool     string   // the tenant whose limits and digests apply, see store.pool
}

// groupPart is what one partition holds of a group. The log has its record, except for the latest counts.
type groupPart struct {
	group              *group
	partition          *partition
	record             schemas.AlertState
	message            *message
	possiblyDuplicated bool // a message of another process may show it

	lastAdded    time.Time     // when a member was last added
	pendingSince time.Time     // when the first member that is not displayed was detected
	nextLead     *schemas.Flag // the flag of that member
}

// storeOptions configure a store.
type storeOptions struct {
	policy     *alerting.Policy // nil: all alerts at once, in the sink's own channel
	groups     GroupOptions     // zero values mean the defaults
	tenants    []string         // named in the configuration, in addition to those of Policy
	partitions int              // of llm.incidents, in all processes
	edits      bool             // the sink can edit
	newID      func() string
}

// newStore makes a store without partitions.
func newStore(o storeOptions) *store {
	if o.policy == nil {
		o.policy = alerting.NewPolicy(alerting.PolicyOptions{})
	}
	groups := o.groups.WithDefaults()
	feedback, _ := simplelru.NewLRU[string, []schemas.Feedback](maxFeedbackIncidents, nil) // the size is valid
	return &store{
		options: groups, policy: o.policy, canEdit: o.edits, allPartitions: o.partitions, newID: o.newID,
		maxParts: max(1, groups.MaxGroups/max(1, o.partitions)), configuredTenants: configuredTenants(&o), groupsByPool: make(map[string]int),
		partitions: make(map[int32]*partition), groups: make(map[string]*group), messages: make(map[string]*message),
		channels: make(map[string]*channel), newChannels: make(chan struct{}, 1),
		newWaiting: make(chan struct{}, 1), silences: make(map[string]schemas.Silence), feedback: feedback,
	}
}

// ready reports that every partition of this process is loaded. Before, nothing is sent: a partition may hold messages that
// were sent already.
func (s *store) ready() bool {
	for _, p := range s.partitions {
		if !p.isLoaded() {
			return false
		}
	}
	return len(s.partitions) > 0
}

// group finds or makes the group of a key.
func (s *store) group(key string, k groupKind) *group {
	g, ok := s.groups[key]
	if !ok {
		g = &group{
			key: key, labels: k.labels, severity: k.severity,
			channel: s.channel(s.policy.ChannelFor(k.labels.Tenant, k.severity)), pool: s.pool(k.labels.Tenant),
		}
		s.groups[key] = g
		s.groupsByPool[g.pool]++
	}
	return g
}

// addPart adds a part to its group and partition.
func (s *store) addPart(part *groupPart) {
	part.group.parts = append(part.group.parts, part)
	part.partition.parts[part.group.key] = part
}

// dropPart removes a part from its message, group and partition.
func (s *store) dropPart(part *groupPart) {
	s.detach(part)
	delete(part.partition.parts, part.group.key)
	part.group.parts = slices.DeleteFunc(part.group.parts, func(o *groupPart) bool { return o == part })
	s.updateWaiting(part.group)
	if len(part.group.parts) == 0 {
		delete(s.groups, part.group.key)
		if s.groupsByPool[part.group.pool]--; s.groupsByPool[part.group.pool] == 0 {
			delete(s.groupsByPool, part.group.pool)
		}
	}
}

// attach moves the part to the message m.
func (s *store) attach(part *groupPart, m *message) {
	s.detach(part)
	part.message = m
	m.parts[part] = struct{}{}
	m.pending += part.pending()
	m.lastAdded = latest(m.lastAdded, part.lastAdded)
	if part.possiblyDuplicated {
		m.handle(postUnconfirmed)
	}
	if part.record.Group.Changed && s.canEdit {
		m.handle(editRequested)
	}
	if m.phase.takesParts() {
		part.group.open = m
	}
	s.updateWaiting(part.group)
}

// detach takes the part out of its message. It changes memory only.
func (s *store) detach(part *groupPart) {
	m := part.message
	if m == nil {
		return
	}
	part.message = nil
	delete(m.parts, part)
	m.pending -= part.pending()
	if len(m.parts) == 0 {
		delete(s.messages, m.id)
		delete(m.channel.messages, m)
		m.handle(emptied)
	}
	shown := slices.ContainsFunc(part.group.parts, func(other *groupPart) bool { return other.message == m })
	if part.group.open == m && (!shown || !m.phase.takesParts()) {
		part.group.open = nil
	}
	s.updateWaiting(part.group)
}
