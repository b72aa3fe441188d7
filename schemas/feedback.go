package schemas

import (
	"slices"
	"strings"
	"time"
)

// HumanVerdict is what a person says about an incident.
type HumanVerdict string

// The verdicts of people.
const (
	Wrong HumanVerdict = "wrong" // the answer is
	Fine  HumanVerdict = "fine"  // the answer is
)

// Forgotten is no verdict but the mark of `confab forget`: the earlier labels of the incident no longer count, and its texts
// are removed from the alert state and from the store of the page.
const Forgotten HumanVerdict = "forgotten"

// HumanVerdicts lists every verdict of people.
func HumanVerdicts() []HumanVerdict { return []HumanVerdict{Wrong, Fine} }

// UnmarshalText reads a verdict as [ParseVerdict] does. Another word stays as it is.
func (v *HumanVerdict) UnmarshalText(text []byte) error {
	*v = HumanVerdict(text)
	if known, ok := ParseVerdict(string(text)); ok {
		*v = known
	}
	return nil
}

// ParseVerdict reads the verdict of a table or of a command, whatever its case: wrong (also confirmed or 1) or fine (also
// false_positive or 0).
func ParseVerdict(word string) (v HumanVerdict, ok bool) {
	switch strings.ToLower(strings.TrimSpace(word)) {
	case "wrong", "confirmed", "1":
		return Wrong, true
	case "fine", "false_positive", "0":
		return Fine, true
	}
	return "", false
}

// FeedbackSource is where a label was given.
type FeedbackSource string

// The sources of labels.
const (
	FromSlack FeedbackSource = "slack"
	FromCLI   FeedbackSource = "cli"
	FromUI    FeedbackSource = "ui"
)

// Feedback is the record of llm.feedback, keyed by the incident: a label by a person. The last label of each person counts,
// so a repeated record changes nothing.
type Feedback struct {
	IncidentID string         `json:"incident_id"`
	Verdict    HumanVerdict   `json:"verdict"`
	Detectors  []string       `json:"detectors,omitempty"` // which had fired, sorted
	User       string         `json:"user"`                // Slack's user id, or the name at the command line or on the page
	Source     FeedbackSource `json:"source"`
	At         time.Time      `json:"at"`
	Comment    string         `json:"comment,omitempty"`
	Judge      *Judged        `json:"judge,omitempty"` // nil: no judge has read the answer
}

// Judged is what a judge said of an answer.
type Judged struct {
	Model  string `json:"model"`
	Prompt string `json:"prompt"` // version
	Wrong  bool   `json:"wrong"`
}

// Judged is what a judge said of the flag's answer; nil if none gave a verdict. It shares no memory with the flag.
func (f *Flag) Judged() *Judged {
	if f.JudgePrompt == "" {
		return nil
	}
	return &Judged{strings.Clone(f.JudgeModel), strings.Clone(f.JudgePrompt), slices.Contains(f.Fired, JudgeDetector)}
}

// Silence holds back matching alerts until it ends. Its record is under its id in every partition of llm.alerts.
type Silence struct {
	ID string `json:"id"`
	// Group silences one group by its key; otherwise every matcher that is set must hold.
	Group    string           `json:"group,omitempty"`
	Matchers AlertGroupLabels `json:"matchers,omitzero"` // detectors: all of them must have fired
	User     string           `json:"user"`
	Comment  string           `json:"comment,omitempty"`
	From     time.Time        `json:"from"`
	Until    time.Time        `json:"until"` // in the past: expired
}
