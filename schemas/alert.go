package schemas

import "time"

// AlertKind is what a message to on-call is about.
type AlertKind string

// The kinds of an alert.
const (
	AlertGroup  AlertKind = "group"  // one problem: the incidents of one group
	AlertDigest AlertKind = "digest" // groups of one tenant and severity that were too many or too late for messages of their own
	AlertNotice AlertKind = "notice" // no incident: what Confab did by itself
)

// Severity is the severity of an alert.
type Severity string

// The severities.
const (
	SeverityHigh   Severity = "high"
	SeverityNormal Severity = "normal"
)

// DigestCause is why incidents are sent in a digest.
type DigestCause string

// The causes of a digest.
const (
	DigestStale     DigestCause = "stale"     // they could not be sent for a while
	DigestThrottled DigestCause = "throttled" // too many new messages in a short time
)

// Alert is one message to on-call as a notifier gets it.
type Alert struct {
	Kind     AlertKind
	Message  string // opaque id of the message, the same for its edits; a notifier finds an earlier post by it
	Group    string // the key of the group, 32 hexadecimal digits; "" for a digest
	Severity Severity
	Cause    DigestCause // of a digest
	Tenant   string
	Channel  string // where to post; "" means the notifier's own default

	Flag         Flag   // the first incident; buttons are about it
	Riskiest     []Flag // up to three incidents by risk, whose evidence is shown; Flag may be among them
	Count        int64  // incidents in the message, including Flag
	EarlierCount int64  // incidents of the same group in earlier messages
	First        time.Time
	Last         time.Time    // when the first and the last of them were detected
	Models       []string     // distinct, sorted, a bounded number of them
	Groups       []GroupCount // of a digest: the largest groups, largest first; otherwise the one group
	MoreGroups   int          // of a digest: number of further groups
	Feedback     []Feedback   // labels of Flag, the oldest first

	Notice []string // of a notice: its title, lines, and what to do

	PossiblyDuplicated bool // an earlier attempt may have been posted; the message says so
}

// GroupCount is a line of a digest: a group and the number of its incidents.
type GroupCount struct {
	Group AlertGroupLabels
	Count int64

	// Of a group with a problem: an incident, its accused words with what the source has instead, and what found it.
	Incident, Said, Found string
}

// AlertGroupLabels are what the incidents of a group have in common. Labels that they are not grouped by are empty.
type AlertGroupLabels struct {
	Tenant    string   `json:"tenant,omitempty"`
	Service   string   `json:"service,omitempty"`
	Operation string   `json:"operation,omitempty"`
	Provider  string   `json:"provider,omitempty"`
	Model     string   `json:"model,omitempty"`
	Detectors []string `json:"detectors,omitempty"` // sorted
	Problem   string   `json:"problem,omitempty"`   // a hash of what is wrong, the same for answers with the same fault
}

// Receipt identifies a message that a sink has accepted. A webhook returns an empty one.
type Receipt struct {
	Channel   string
	Timestamp string // Slack's ts, the message's id within the channel
	Found     bool   // an earlier attempt was found, without the mark of a possible duplicate: nothing was posted
}

// AlertStatus is how far the delivery of an incident has come.
type AlertStatus string

// The statuses of an alert.
const (
	AlertPending  AlertStatus = "pending"
	AlertSent     AlertStatus = "sent"
	AlertLabelled AlertStatus = "labelled"
	AlertSilence  AlertStatus = "silence"
	AlertWaiting  AlertStatus = "waiting" // for a second opinion, until [AlertState.Until]
	AlertCleared  AlertStatus = "cleared" // by a second opinion
)

// AlertState is the record of llm.alerts: the last known state under one key (an incident, a group or a silence).
type AlertState struct {
	Status             AlertStatus `json:"status"`
	Pass               Pass        `json:"pass,omitempty"`
	Attempt            int         `json:"attempt,omitempty"`
	Channel            string      `json:"channel,omitempty"`
	Timestamp          string      `json:"ts,omitempty"`
	PossiblyDuplicated bool        `json:"possibly_duplicated,omitempty"`
	Until              time.Time   `json:"until,omitzero"`
	UpdatedAt          time.Time   `json:"updated_at,omitzero"`

	Member  *AlertMember     `json:"member,omitempty"`  // of an incident in a group
	Group   *AlertGroupState `json:"group,omitempty"`   // of a group
	Silence *Silence         `json:"silence,omitempty"` // of a silence
	Waiting *Flag            `json:"waiting,omitempty"` // of an incident that waits, reduced to what messages show
}

// AlertMember is an incident's place in its group.
type AlertMember struct {
	Group      string    `json:"group"`   // the group's key
	Ordinal    int64     `json:"ordinal"` // 1 for the first member of the group in this partition
	Generation int64     `json:"generation,omitempty"`
	At         time.Time `json:"at,omitzero"` // when it was detected
}

// AlertGroupState is the state of a group in one partition. Members ≥ DisplayedCount ≥ CountOffset.
type AlertGroupState struct {
	Labels          AlertGroupLabels `json:"labels"`
	Severity        Severity         `json:"severity"`
	Generation      int64            `json:"generation,omitempty"` // when it began, in Unix milliseconds: members of an earlier generation do not count
	Message         string           `json:"message,omitempty"`    // the message that shows the group, or is about to
	Kind            AlertKind        `json:"kind,omitempty"`       // of that message
	Cause           DigestCause      `json:"cause,omitempty"`
	SentAt          time.Time        `json:"sent_at,omitzero"`           // when that message was posted
	PreviousMessage string           `json:"previous_message,omitempty"` // the message that showed it before and is not edited any more

	Changed bool `json:"changed,omitempty"` // the message shows an outdated Lead or Top

	// Common are the labels that all incidents have which no message shows yet.
	Common AlertGroupLabels `json:"common,omitzero"`

	Members        int64 `json:"members"`         // incidents in this partition, as of this record
	CountOffset    int64 `json:"count_offset"`    // of these, shown by earlier messages
	DisplayedCount int64 `json:"displayed_count"` // of these, shown by any message

	First    time.Time  `json:"first,omitzero"`
	Last     time.Time  `json:"last,omitzero"`
	Models   []string   `json:"models,omitempty"`
	Lead     *Flag      `json:"lead,omitempty"`     // the first incident, reduced to what messages show
	Top      []Flag     `json:"top,omitempty"`      // further incidents of highest risk, with evidence only
	Feedback []Feedback `json:"feedback,omitempty"` // labels of Lead
}
