package dispatch

import (
	"slices"
	"time"

	"confab/alerting"
	"confab/schemas"
)

// Store holds groups, their parts by partition, messages and channels of this process. It plans changes and applies them
// when the log has them. The caller owns the lock, the clock and every write.
type Store struct {
	Options    GroupOptions
	Policy     *alerting.Policy
	CanEdit    bool
	replies    bool // the sink can add replies
	resolves   bool // the sink can end messages
	partitions int
	NewID      func() string

	Partitions        map[int32]*Partition
	Groups            map[string]*Group
	messages          map[string]*Message
	Channels          map[string]*Channel
	maxParts          int // of a partition
	configuredTenants map[string]struct{}
	groupsByPool      map[string]int
	Silences          map[string]schemas.Silence
	Feedback          recentFeedback
	loadedParts       []*GroupPart  // loaded, not yet attached to their messages
	NewChannels       chan struct{} // signals a new channel
	clock             time.Time     // the latest time given to SetClock
}

// Group is what incidents of all partitions have in common.
type Group struct {
	Key        string
	Labels     schemas.AlertGroupLabels
	Severity   schemas.Severity
	Detector   string // of a group about a detector instead of incidents
	firingRate float64
	channel    *Channel
	Parts      []*GroupPart
	Open       *Message // the message that further parts are attached to
	Pool       string   // the tenant whose limits and digests apply, see Store.pool
}

// GroupPart is what one partition holds of a group. The log has its record, except for the latest counts.
type GroupPart struct {
	Group              *Group
	Partition          *Partition
	Record             schemas.AlertState
	Message            *Message
	PossiblyDuplicated bool // a message of another process may show it

	ended        bool          // the sink has accepted the end of its group
	lastAdded    time.Time     // when a member was last added
	PendingSince time.Time     // when the first member that is not displayed was detected
	nextLead     *schemas.Flag // the flag of that member
}

// storeOptions configure a Store.
type storeOptions struct {
	Policy     *alerting.Policy // nil: all alerts at once, in the sink's own channel
	Groups     GroupOptions     // zero values mean the defaults
	Tenants    []string         // named in the configuration, in addition to those of Policy
	Partitions int              // of llm.incidents, in all processes
	Edits      bool             // the sink can edit
	Replies    bool             // the sink can add replies
	Resolves   bool             // the sink can end messages
	NewID      func() string
}

// newStore makes a Store without partitions.
func newStore(o storeOptions) *Store {
	if o.Policy == nil {
		o.Policy = alerting.NewPolicy(alerting.PolicyOptions{})
	}
	groups := o.Groups.WithDefaults()
	return &Store{
		Options: groups, Policy: o.Policy, CanEdit: o.Edits, replies: o.Replies, resolves: o.Resolves, partitions: o.Partitions, NewID: o.NewID,
		maxParts: max(1, groups.MaxGroups/max(1, o.Partitions)), configuredTenants: configuredTenants(&o), groupsByPool: make(map[string]int),
		Partitions: make(map[int32]*Partition), Groups: make(map[string]*Group), messages: make(map[string]*Message),
		Channels: make(map[string]*Channel), NewChannels: make(chan struct{}, 1),
		Silences: make(map[string]schemas.Silence), Feedback: newRecentFeedback(),
	}
}

// Ready reports that every partition of this process is loaded. Before, nothing is sent: a partition may hold messages that
// were sent already.
func (s *Store) Ready() bool {
	for _, p := range s.Partitions {
		if !p.Loaded() {
			return false
		}
	}
	return len(s.Partitions) > 0
}

// group finds or makes the group of a key.
func (s *Store) group(key string, k GroupKind) *Group {
	g, ok := s.Groups[key]
	if !ok {
		g = &Group{
			Key: key, Labels: k.Labels, Severity: k.Severity, Detector: k.Detector, firingRate: k.FiringRate,
			channel: s.Channel(s.Policy.ChannelFor(k.Labels.Tenant, k.Severity)), Pool: s.pool(k.Labels.Tenant),
		}
		s.Groups[key] = g
		s.groupsByPool[g.Pool]++
	}
	return g
}

// addPart adds a part to its group and partition.
func (s *Store) addPart(part *GroupPart) {
	part.Group.Parts = append(part.Group.Parts, part)
	part.Partition.parts[part.Group.Key] = part
}

// dropPart removes a part from its message, group and partition.
func (s *Store) dropPart(part *GroupPart) {
	s.Detach(part)
	delete(part.Partition.parts, part.Group.Key)
	part.Group.Parts = slices.DeleteFunc(part.Group.Parts, func(o *GroupPart) bool { return o == part })
	s.updateWaiting(part.Group)
	if len(part.Group.Parts) == 0 {
		delete(s.Groups, part.Group.Key)
		if s.groupsByPool[part.Group.Pool]--; s.groupsByPool[part.Group.Pool] == 0 {
			delete(s.groupsByPool, part.Group.Pool)
		}
	}
}

// Attach moves the part to the message m.
func (s *Store) Attach(part *GroupPart, m *Message) {
	s.Detach(part)
	part.Message = m
	m.Parts[part] = struct{}{}
	m.Pending += part.Pending()
	m.lastAdded = Latest(m.lastAdded, part.lastAdded)
	if part.PossiblyDuplicated {
		m.handle(postUnconfirmed)
	}
	if part.Record.Group.Changed && s.CanEdit {
		m.handle(editRequested)
	}
	if m.Phase.takesParts() {
		part.Group.Open = m
	}
	s.updateWaiting(part.Group)
}

// Detach takes the part out of its message. It changes memory only.
func (s *Store) Detach(part *GroupPart) {
	m := part.Message
	if m == nil {
		return
	}
	part.Message = nil
	delete(m.Parts, part)
	m.Pending -= part.Pending()
	if len(m.Parts) == 0 {
		s.removeMessage(m)
	}
	if part.Group.Open == m {
		part.Group.Open = nil
		for _, other := range part.Group.Parts {
			if other.Message == m && m.Phase.takesParts() {
				part.Group.Open = m
			}
		}
	}
	s.updateWaiting(part.Group)
}

func (s *Store) removeMessage(m *Message) {
	delete(s.messages, m.ID)
	delete(m.Channel.Messages, m)
	m.handle(emptied)
}

// clockSlack is how far the clock may go back without a correction.
const clockSlack = time.Minute

// SetClock sets the time. When the clock went back, or records of another process were loaded, it moves future times of the
// store to now, so that nothing waits for them. Times of silences and detections stay. It reports whether it moved times.
func (s *Store) SetClock(now time.Time, loaded bool) bool {
	back := now.Add(clockSlack).Before(s.clock)
	s.clock = now
	if !back && !loaded {
		return false
	}
	for _, p := range s.Partitions {
		for _, part := range p.parts {
			part.lastAdded, part.PendingSince = NotAfter(part.lastAdded, now), NotAfter(part.PendingSince, now)
		}
	}
	for _, ch := range s.Channels {
		for m := range ch.Messages {
			m.correctTimes(now)
		}
		Notify(ch.Changes)
	}
	return true
}
