package schemas

// Usage is the cost of requests to language models.
type Usage struct {
	Calls            int // requests, including failed ones
	PromptTokens     int
	CompletionTokens int
	Cost             float64 // in the currency of the configured prices; 0 where no price is known
}

// Plus adds o.
func (u Usage) Plus(o Usage) Usage {
	return Usage{u.Calls + o.Calls, u.PromptTokens + o.PromptTokens, u.CompletionTokens + o.CompletionTokens, u.Cost + o.Cost}
}

// SampleRequest requests sampled responses.
type SampleRequest struct {
	Answers     int
	Temperature float64
	MaxTokens   int // of one answer
}

// SampledResponse is a sampled response: another answer of a model to the messages of an interaction.
type SampledResponse struct {
	Text    string
	Cut     bool // it ends at the token limit
	Refused bool // the server marked it as a refusal, or filtered it
}

// Verdict is a judge's answer about one statement.
type Verdict struct {
	Ruling     Ruling
	Confidence float64 // reported by the judge, 0 to 1; 1 without one
	Reason     string  // written by the judge: untrusted text
}

// Ruling is whether the sources support a statement.
type Ruling int8

// The rulings.
const (
	Unfaithful Ruling = iota // not supported by the sources
	Faithful                 // supported by the sources
	OutOfScope               // about something that the sources do not cover
)

// Pair is a claim (the hypothesis) and the text that it is compared with.
type Pair struct{ Premise, Hypothesis string }

// Relation holds the probabilities that a premise entails, is neutral to, or contradicts a hypothesis. They sum to 1.
type Relation struct{ Entailment, Neutral, Contradiction float64 }

// NotJudged is the reason why a deep evaluation has no result, as flags and metrics show it.
type NotJudged string

// The reasons without a result.
const (
	BudgetSpent      NotJudged = "budget"            // the token budget does not cover it
	OptedOut         NotJudged = "opt_out"           // the tenant allows no calls
	JudgeCompromised NotJudged = "judge_compromised" // the judge accepted a false canary statement
	JudgeUnreadable  NotJudged = "judge_unreadable"  // the reply does not have the requested form
	JudgeRefused     NotJudged = "judge_refused"     // the judge declined
)

func (n NotJudged) Error() string { return string(n) }

// Skips reports that no request was made: the outcome is then skipped instead of failed.
func (n NotJudged) Skips() bool { return n == BudgetSpent || n == OptedOut }
