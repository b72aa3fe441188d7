package schemas

import "time"

// AlertKind is what a message to on-call is about.
type AlertKind string

// The kinds of an alert.
const (
	AlertGroup  AlertKind = "group"  // one problem: the incidents of one group
	AlertDigest AlertKind = "digest" // many groups of one tenant and lane, which came too many or too late to be told one by one
	AlertBroken AlertKind = "broken" // a detector that fires on an unusual share of the traffic
)

// Severity is the severity of an alert. Lanes do not wait for each other.
type Severity string

// The lanes.
const (
	SeverityHigh   Severity = "high"
	SeverityNormal Severity = "normal"
)

// DigestCause is why incidents are told in a digest.
type DigestCause string

// The causes of a digest.
const (
	DigestStale     DigestCause = "stale"       // they are old, because nobody could be told for a while
	DigestThrottled DigestCause = "throttled"   // too many new messages in a short time
	DigestQuiet     DigestCause = "quiet_hours" // they came in quiet hours
)

// Alert is one message that on-call must get, as it is handed to a notifier: a flag and what belongs to it.
type Alert struct {
	Kind     AlertKind
	Message  string // opaque id of the message, the same for its edits: by it a lost post is found again
	Group    string // the key of the group told of, 32 hexadecimal digits; "" for a digest
	Severity Severity
	Cause    DigestCause // of a digest
	Tenant   string
	Channel  string // where to post; "" means the notifier's own default

	Flag         Flag   // the first incident; buttons are about it
	Riskiest     []Flag // up to three incidents, riskiest first, whose evidence is shown; Flag may be among them
	Count        int64  // incidents that the message tells of, Flag included
	EarlierCount int64  // incidents of the same group that earlier messages have told
	First        time.Time
	Last         time.Time    // when the first and the last of them were detected
	Models       []string     // distinct, sorted, a bounded number of them
	Groups       []GroupCount // of a digest: the largest groups, largest first; otherwise the one group
	MoreGroups   int          // of a digest: groups beside those
	Detector     string       // of AlertBroken: which one
	FiringRate   float64      // of AlertBroken: the share of checked answers on which it fired, 0 to 1
	Feedback     []Feedback   // what people have said about Flag, the oldest first

	PossiblyDuplicated bool // an earlier attempt may have been told; the message says so
}

// GroupCount is a line of a digest: a group and how many of its incidents are told of.
type GroupCount struct {
	Group AlertGroupLabels
	Count int64
}

// AlertGroupLabels are what the incidents of a group have in common; what they are not grouped by is empty.
type AlertGroupLabels struct {
	Tenant    string   `json:"tenant,omitempty"`
	Service   string   `json:"service,omitempty"`
	Operation string   `json:"operation,omitempty"`
	Provider  string   `json:"provider,omitempty"`
	Model     string   `json:"model,omitempty"`
	Detectors []string `json:"detectors,omitempty"` // sorted
}

// Receipt is what a sink knows about a message it accepted. A webhook knows nothing: both fields are empty.
type Receipt struct {
	Channel   string
	Timestamp string // Slack's ts, the message's id within the channel
	Found     bool   // an earlier attempt stands there without a mark that it may repeat another: nothing was posted
}

// AlertStatus is how far telling an incident has come.
type AlertStatus string

// The statuses of an alert.
const (
	AlertPending  AlertStatus = "pending"
	AlertSent     AlertStatus = "sent"
	AlertLabelled AlertStatus = "labelled"
	AlertSilence  AlertStatus = "silence"
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

	Member  *AlertMember     `json:"member,omitempty"`  // of an incident that was told in a group
	Group   *AlertGroupState `json:"group,omitempty"`   // of a group
	Silence *Silence         `json:"silence,omitempty"` // of a silence
}

// AlertMember is an incident's place in its group.
type AlertMember struct {
	Group      string    `json:"group"`   // the group's key
	Ordinal    int64     `json:"ordinal"` // 1 for the first that joined the group in this partition
	Generation int64     `json:"generation,omitempty"`
	At         time.Time `json:"at,omitzero"` // when it was detected
}

// AlertGroupState is what one partition knows of a group. Members ≥ Shown ≥ Base.
type AlertGroupState struct {
	Labels          AlertGroupLabels `json:"labels"`
	Severity        Severity         `json:"severity"`
	Generation      int64            `json:"generation,omitempty"` // when it began, in Unix milliseconds: members of an earlier life do not count
	Message         string           `json:"message,omitempty"`    // the message that tells, or is about to tell, of the group
	Kind            AlertKind        `json:"kind,omitempty"`       // of that message
	Cause           DigestCause      `json:"cause,omitempty"`
	SentAt          time.Time        `json:"sent_at,omitzero"`           // when that message was posted
	PreviousMessage string           `json:"previous_message,omitempty"` // the message that told of it before, and can no longer be edited

	Changed bool `json:"changed,omitempty"` // what the message shows of Lead or Top is out of date

	Detector   string  `json:"detector,omitempty"` // of AlertBroken
	FiringRate float64 `json:"firing_rate,omitempty"`

	Members        int64 `json:"members"`         // incidents that have joined in this partition, as of this record
	CountOffset    int64 `json:"count_offset"`    // of these, told by earlier messages
	DisplayedCount int64 `json:"displayed_count"` // of these, told

	First    time.Time  `json:"first,omitzero"`
	Last     time.Time  `json:"last,omitzero"`
	Models   []string   `json:"models,omitempty"`
	Lead     *Flag      `json:"lead,omitempty"`     // the first incident, without what no message shows
	Top      []Flag     `json:"top,omitempty"`      // the riskiest beside the lead, with the evidence alone
	Feedback []Feedback `json:"feedback,omitempty"` // what people have said about Lead

	Folded []AlertFolded `json:"folded,omitempty"` // groups whose incidents this one counts from this record on: their own records are deleted next
}

// AlertFolded is a group in one of its lives.
type AlertFolded struct {
	Group      string `json:"group"`
	Generation int64  `json:"generation"`
}
