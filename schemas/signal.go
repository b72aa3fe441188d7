package schemas

// Outcome is the result of one rule on one interaction.
type Outcome string

// The outcomes. NotCheckable means that there was nothing to check against: unknown, never clean.
const (
	Fired        Outcome = "fired"
	Clear        Outcome = "clear"
	NotCheckable Outcome = "not_checkable"
	Skipped      Outcome = "skipped"
	Failed       Outcome = "error"
)

// Outcomes lists every outcome, in the order in which reports show them.
func Outcomes() []Outcome { return []Outcome{Fired, Clear, NotCheckable, Skipped, Failed} }

// SignalType is the kind of fault a signal points at.
type SignalType string

// The types of a signal.
const (
	Factual     SignalType = "factual"
	Fabrication SignalType = "fabrication"
	Attribution SignalType = "attribution"
	Temporal    SignalType = "temporal"
	Technical   SignalType = "technical"
	Logical     SignalType = "logical"
	Format      SignalType = "format"
	Confidence  SignalType = "confidence"

	ToolUse SignalType = "tool" // calls of tools and what the answer says of them
)

// Signal is one rule's answer about one interaction.
type Signal struct {
	Detector  string             `json:"detector"`
	Outcome   Outcome            `json:"outcome"`
	Score     float64            `json:"score"`     // 0 to 1, higher is worse
	Threshold float64            `json:"threshold"` // fired ⇔ score ≥ threshold
	Measures  map[string]float64 `json:"measures,omitempty"`
	Type      SignalType         `json:"type,omitempty"`
	Reason    string             `json:"reason,omitempty"`
	Evidence  []Evidence         `json:"evidence,omitempty"`

	// Statements are all verdicts of a judge, in the order of the answer; at most 64.
	Statements []Statement `json:"statements,omitempty"`
}

// Statement is one statement of an answer with the verdict of a judge.
type Statement struct {
	Start      int     `json:"start"` // byte offsets in the answer, NoPlace where none exists
	End        int     `json:"end"`
	Text       string  `json:"text"`             // redacted, at most 160 characters
	Verdict    string  `json:"verdict"`          // faithful, unfaithful or out_of_scope
	Reason     string  `json:"reason,omitempty"` // of the judge; redacted, at most 160 characters
	Confidence float64 `json:"confidence"`       // 0 to 1
}

// NoPlace is the offset of evidence that has no place in the answer, such as a missing JSON property.
const NoPlace = -1

// Evidence is a place in the answer and the place in a source that it is compared with.
type Evidence struct {
	Start       int     `json:"start"` // byte offsets in the answer, NoPlace where none exists
	End         int     `json:"end"`
	Excerpt     string  `json:"excerpt,omitempty"` // redacted, at most 100 characters
	Citation    string  `json:"citation,omitempty"`
	SourceID    string  `json:"source_id,omitempty"`
	SourceStart int     `json:"source_start,omitempty"`
	SourceEnd   int     `json:"source_end,omitempty"`
	Similarity  float64 `json:"similarity"`
	Note        string  `json:"note,omitempty"` // the figure, name, path or URL that failed; redacted

	SourceNumber  int    `json:"source_number,omitempty"`  // position of the source among the interaction's, from 1; 0 if unknown
	SourceExcerpt string `json:"source_excerpt,omitempty"` // text of the source at its place; redacted, at most 160 characters
	SourceSays    string `json:"source_says,omitempty"`    // what the source has instead: a figure, a name, a negation; redacted
	Rule          string `json:"rule,omitempty"`           // id of the rule that found it: letters, digits and _; "" for a detector without rules

	CallID string `json:"call_id,omitempty"` // the call of a tool that it is about
}

// Speaker names what the evidence is compared with: "source says" or "call call_7".
func (e *Evidence) Speaker() string {
	if e.CallID != "" {
		return "call " + e.CallID
	}
	return "source says"
}

// Says is what the speaker says instead; of a call, the note if nothing else is known.
func (e *Evidence) Says() string {
	if e.SourceSays == "" && e.CallID != "" {
		return e.Note
	}
	return e.SourceSays
}

// Claim is a checkable statement of an answer.
type Claim struct {
	Start      int     `json:"start"` // byte offsets in the answer
	End        int     `json:"end"`
	Excerpt    string  `json:"excerpt"`
	Similarity float64 `json:"similarity"` // support by the best source window, 0 to 1
}

// Grounding summarises how far the sources support an answer.
type Grounding struct {
	Grounded            bool    `json:"grounded"`
	Confidence          float64 `json:"confidence"`             // in Grounded, 0 to 1
	OverallSimilarity   float64 `json:"overall_similarity"`     // mean support of the claims, 0 to 1
	UngroundedClaims    int     `json:"ungrounded_claim_count"` // 0 if Grounded
	UngroundedClaimList []Claim `json:"ungrounded_claims"`
	Source              string  `json:"source,omitempty"`
}
