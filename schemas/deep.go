package schemas

import "time"

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

// JudgeRequest is what a judge reads of an interaction.
type JudgeRequest struct {
	Tenant, Operation string
	Date              time.Time // of the answer; zero if unknown
	Conversation      []Message // before the answer, oldest first, without the sources in it
	Sources           []JudgeSource
	Answer            string
}

// JudgeSource is a source with the number by which the answer cites it, and its id if that is another.
type JudgeSource struct{ Label, ID, Text string } // letters, digits, full stops, _ and - in label and id

// Fault is a statement of an answer that a judge holds to be wrong.
type Fault struct {
	Quote       string // words of the answer, as the judge repeats them: untrusted text
	Stance      Stance
	Source      string // label of the source that says otherwise, "" for none
	Instead     string // what it says: untrusted text
	Immaterial  bool   // it misleads nobody
	Probability float64
}

// Stance is what speaks against a statement: the id of the rule in evidence.
type Stance string

// The stances.
const (
	Contradicted  Stance = "contradicted"   // a source, the conversation, the date or arithmetic says otherwise
	Unsupported   Stance = "unsupported"    // none of them has it
	WrongCitation Stance = "wrong_citation" // the source that its marker names does not say it
)

// Asked is how a judge was asked.
type Asked struct{ Model, Prompt string } // Prompt is the version of the prompt

// Verdict is a judge's answer about one statement.
type Verdict struct {
	Ruling     Ruling
	Confidence float64 // reported by the judge, 0 to 1; 1 without one
	Reason     string  // written by the judge: untrusted text
}

// Ruling is whether the sources support a statement.
type Ruling string

// The rulings.
const (
	Unfaithful Ruling = "unfaithful"   // not supported by the sources
	Faithful   Ruling = "faithful"     // supported by the sources
	OutOfScope Ruling = "out_of_scope" // about something that the sources do not cover
)

// Pair is a claim (the hypothesis) and the passage that it is compared with.
type Pair struct{ Premise, Hypothesis string }

// Relation holds the probabilities that a premise entails, is neutral to, or contradicts a hypothesis. They sum to 1, with that of a
// hypothesis without support where a model does not tell neutral from contradiction.
type Relation struct {
	Entailment, Neutral, Contradiction float64
	Unsupported                        float64
	Marks                              []Mark // parts of the hypothesis without support, where the model tells
}

// Mark is a part of a hypothesis, in bytes, with a probability.
type Mark struct {
	Start, End  int
	Probability float64
}

// Sum is the sum of the probabilities.
func (r *Relation) Sum() float64 { return r.Entailment + r.Neutral + r.Contradiction + r.Unsupported }

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
