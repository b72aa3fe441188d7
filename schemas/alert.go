package schemas

import "time"

// Alert is a flag that on-call must hear about, as it is handed to a notifier.
type Alert struct {
	Flag      Flag
	Channel   string // where to post; "" means the notifier's own default
	MayRepeat bool   // an earlier attempt may have been told; the message says so
}

// Receipt is what a sink knows about a message it accepted. A webhook knows nothing: both fields are empty.
type Receipt struct {
	Channel   string
	Timestamp string // Slack's ts, the message's id within the channel
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
	Status    AlertStatus `json:"status"`
	Pass      Pass        `json:"pass,omitempty"`
	Attempt   int         `json:"attempt,omitempty"`
	Channel   string      `json:"channel,omitempty"`
	Timestamp string      `json:"ts,omitempty"`
	MayRepeat bool        `json:"may_repeat,omitempty"`
	Until     time.Time   `json:"until,omitzero"`
	UpdatedAt time.Time   `json:"updated_at,omitzero"`
}
