package schemas

import "time"

// Pass is the evaluation that a flag is the verdict of.
type Pass string

// The passes. A deep flag outranks a fast one of the same incident, in whatever order they arrive.
const (
	PassFast Pass = "fast"
	PassDeep Pass = "deep"
)

// Recommendation is what Confab recommends to do with the answer.
type Recommendation string

// The recommendations.
const (
	Allow     Recommendation = "allow"
	Recommend Recommendation = "flag"
	Block     Recommendation = "block"
)

// Action is a tenant's configured policy for the system that enforces it downstream.
type Action string

// The actions.
const (
	ActionLog   Action = "LOG"
	ActionFlag  Action = "FLAG"
	ActionBlock Action = "BLOCK"
)

// Origin is where an interaction was read: its text is looked up there, not copied.
type Origin struct {
	Topic     string `json:"topic"` // "file" when read by confab check
	Partition int32  `json:"partition"`
	Offset    int64  `json:"offset"` // the line, counted from 1, when read from a file
	Index     int    `json:"index"`  // position within the record
}

// Flag is one complete verdict over one interaction: the only record written to llm.incidents. Its identity is
// (IncidentID, Pass).
type Flag struct {
	IncidentID     string    `json:"incident_id"`
	Pass           Pass      `json:"pass"`
	InteractionID  string    `json:"interaction_id"`
	Tenant         string    `json:"tenant"`
	Service        string    `json:"service,omitempty"`
	Operation      string    `json:"operation,omitempty"`
	Provider       string    `json:"provider,omitempty"`
	Model          string    `json:"model,omitempty"`
	TraceID        string    `json:"trace_id,omitempty"`
	SpanID         string    `json:"span_id,omitempty"`
	ConversationID string    `json:"conversation_id,omitempty"`
	Tags           []string  `json:"tags,omitempty"`
	OccurredAt     time.Time `json:"occurred_at,omitzero"`
	DetectedAt     time.Time `json:"detected_at,omitzero"`
	Origin         Origin    `json:"origin"`

	Signals        []Signal       `json:"signals"`
	Fired          []string       `json:"fired"`
	Risk           *float64       `json:"risk"` // null without a calibration that gives one
	Recommendation Recommendation `json:"recommendation"`
	Action         Action         `json:"action,omitempty"`
	Alert          bool           `json:"alert"`
	Grounding      *Grounding     `json:"grounding,omitempty"`

	Calibration       string            `json:"calibration,omitempty"`
	WorkerVersion     string            `json:"worker_version,omitempty"`
	Truncated         bool              `json:"truncated,omitempty"`
	Sampled           bool              `json:"sampled,omitempty"`
	SampleReason      string            `json:"sample_reason,omitempty"`
	SampleProbability float64           `json:"sample_probability,omitempty"`
	IDSource          string            `json:"id_source,omitempty"`
	Attributes        map[string]string `json:"attributes,omitempty"`

	// SourcesFrom is where the sources were found, one of the SourcesFrom constants; "" in flags of older workers.
	SourcesFrom string `json:"sources_from,omitempty"`

	// Question is the first line of the user's last message, redacted, at most 160 characters.
	Question string `json:"question,omitempty"`

	// Checked says how much of the answer was measured; "" in flags of older workers.
	Checked Checked `json:"checked,omitempty"`

	// Unchecked are the reasons why not all of it was, some of [UncheckedReasons]; empty if Checked is full.
	Unchecked []string `json:"unchecked,omitempty"`

	// JudgeModel and JudgePrompt say which judge gave a verdict, and by which version of the prompt; "" if none did.
	JudgeModel  string `json:"judge_model,omitempty"`
	JudgePrompt string `json:"judge_prompt,omitempty"`

	// ConfirmedBy is the detector whose second opinion confirmed the alert, [NotConfirmed] if one was due and none was given, "" if
	// none was due.
	ConfirmedBy string `json:"confirmed_by,omitempty"`

	// Shape is the shape of the record, such as langfuse.observation, if it was recognised as one of another program; "" otherwise.
	Shape string `json:"shape,omitempty"`
}

// NotConfirmed is the [Flag.ConfirmedBy] of an alert without the second opinion that was due.
const NotConfirmed = "none"
