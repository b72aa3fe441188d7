package state

import (
	"slices"
	"time"

	"confab/alerting"
	"confab/alerting/dispatch/alertlog"
	"confab/schemas"
)

// Store is what this process knows about what is to be told and what was: groups, the portions of them that its
// partitions hold, messages. It decides and remembers; it does nothing. Its caller owns the lock, the clock and every
// write, and applies a change to the book only when the log has it.
type Store struct {
	Options    GroupOptions
	Policy     *alerting.Policy
	CanEdit    bool // the sink can edit
	replies    bool // it can add details
	partitions int
	NewID      func() string

	Partitions        map[int32]*Partition
	Groups            map[string]*Group
	messages          map[string]*Message
	Channels          map[string]*Channel
	usage             alertlog.Size       // of the portions of all shelves
	partsByPool       map[string]int      // portions by pool
	configuredTenants map[string]struct{} // tenants that the configuration names
	otherPools        int                 // pools of other tenants, beside the shared one
	Silences          map[string]schemas.Silence
	Feedback          alertlog.RecentFeedback
	loadedParts       []*GroupPart  // loaded, not yet joined with their messages
	NewChannels       chan struct{} // a channel was made
	ShrinkRequests    chan struct{} // the state is near its limit, or a partition has overflow groups
	nearLimit         bool          // the state is near its limit: what is delivered and old leaves it
	nextEviction      time.Time     // when messages may be chosen for eviction again
	NextSilence       time.Time     // when the next silence begins; zero for never
	clock             time.Time     // the latest reading; see follow
}

// Group is what incidents have in common, whichever partitions they come from.
type Group struct {
	Key        string
	Labels     schemas.AlertGroupLabels
	Severity   schemas.Severity
	Detector   string // of a group that is about a detector, not about incidents
	firingRate float64
	channel    *Channel
	Parts      []*GroupPart
	Open       *Message // the message that further portions join
	Pool       string   // who shares new messages and digests with it: a tenant, or "" for the tenants without one
}

// GroupPart is what one partition holds of a group. Its record is as the log has it, but for what members add.
type GroupPart struct {
	Group              *Group
	Partition          *Partition
	Record             schemas.AlertState
	size               int // bytes in memory, estimated
	Message            *Message
	PossiblyDuplicated bool // an earlier message, which is not ours to look for, may have told of it

	lastAdded    time.Time     // when a member last joined
	PendingSince time.Time     // when the first member that is not shown was detected
	nextLead     *schemas.Flag // that member
}

// Options configure a book.
type Options struct {
	Policy     *alerting.Policy // nil: everything at once, in the sink's own channel
	Groups     GroupOptions     // what is zero has its default
	Tenants    []string         // that the configuration names, beside those of Policy
	Partitions int              // of llm.incidents, of this process or of others
	Edits      bool             // the sink can edit
	Replies    bool             // it can add details
	NewID      func() string
}

// New makes a book without partitions.
func New(o Options) *Store {
	if o.Policy == nil {
		o.Policy = alerting.NewPolicy(alerting.PolicyOptions{})
	}
	return &Store{
		Options: o.Groups.WithDefaults(), Policy: o.Policy, CanEdit: o.Edits, replies: o.Replies, partitions: o.Partitions, NewID: o.NewID,
		Partitions: make(map[int32]*Partition), Groups: make(map[string]*Group), messages: make(map[string]*Message),
		Channels:    make(map[string]*Channel),
		partsByPool: make(map[string]int), configuredTenants: namedTenants(&o), ShrinkRequests: make(chan struct{}, 1), NewChannels: make(chan struct{}, 1),
		Silences: make(map[string]schemas.Silence), Feedback: alertlog.NewRecentFeedback(),
	}
}

// Ready reports that every partition of this process is loaded. Before, nothing is told: what a partition holds may
// have been told already.
func (s *Store) Ready() bool {
	for _, p := range s.Partitions {
		if !p.Loaded() {
			return false
		}
	}
	return len(s.Partitions) > 0
}

// PartitionLimit is what one partition of this process may take of the state when it is loaded.
func (s *Store) PartitionLimit() alertlog.Size {
	return s.limit().Fraction(1, max(1, len(s.Partitions)))
}

// group finds or makes the group of a key.
func (s *Store) group(key string, k alertlog.GroupKind) *Group {
	g, ok := s.Groups[key]
	if !ok {
		g = &Group{
			Key: key, Labels: k.Labels, Severity: k.Severity, Detector: k.Detector, firingRate: k.FiringRate,
			channel: s.Channel(s.Policy.ChannelFor(k.Labels.Tenant, k.Severity)), Pool: s.pool(k.Labels.Tenant),
		}
		s.Groups[key] = g
	}
	return g
}

// addPart puts a portion in its places.
func (s *Store) addPart(part *GroupPart) {
	part.Group.Parts = append(part.Group.Parts, part)
	part.Partition.parts[part.Group.Key] = part
	part.size = partSize(part)
	s.addUsage(part.Group.Pool, 1, part.size)
}

// dropPart forgets a portion.
func (s *Store) dropPart(part *GroupPart) {
	s.Detach(part)
	delete(part.Partition.parts, part.Group.Key)
	part.Group.Parts = slices.DeleteFunc(part.Group.Parts, func(o *GroupPart) bool { return o == part })
	s.addUsage(part.Group.Pool, -1, -part.size)
	s.updateWaiting(part.Group)
	if len(part.Group.Parts) == 0 {
		delete(s.Groups, part.Group.Key)
	}
}

// Attach makes m the message of p.
func (s *Store) Attach(part *GroupPart, m *Message) {
	s.Detach(part)
	part.Message = m
	m.Parts[part] = struct{}{}
	m.Pending += part.Pending()
	m.lastAdded = alertlog.Latest(m.lastAdded, part.lastAdded)
	if part.PossiblyDuplicated {
		m.handle(postUnconfirmed)
	}
	if part.Record.Group.Changed && s.CanEdit {
		m.handle(editRequested)
	}
	if m.Phase.takesParts() {
		part.Group.Open = m
	}
	m.MarkChanged()
	s.updateWaiting(part.Group)
}

// Detach takes p out of its message, in memory alone.
func (s *Store) Detach(part *GroupPart) {
	m := part.Message
	if m == nil {
		return
	}
	part.Message = nil
	delete(m.Parts, part)
	m.Pending -= part.Pending()
	m.MarkChanged()
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
