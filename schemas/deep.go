package schemas

// Usage is what asking language models cost.
type Usage struct {
	Calls            int // requests, failed ones too
	PromptTokens     int
	CompletionTokens int
	Cost             float64 // in the currency of the configured prices; 0 where no price is known
}

// Plus is both together.
func (u Usage) Plus(o Usage) Usage {
	return Usage{u.Calls + o.Calls, u.PromptTokens + o.PromptTokens, u.CompletionTokens + o.CompletionTokens, u.Cost + o.Cost}
}

// Ask says how many fresh answers are wanted, and how they are made.
type Ask struct {
	Answers     int
	Temperature float64
	MaxTokens   int // of one answer
}

// FreshAnswer is another answer of a model to the messages that an interaction was an answer to.
type FreshAnswer struct {
	Text    string
	Cut     bool // the limit of tokens ended it
	Refused bool // the server marked it as a refusal, or filtered it
}

// Verdict is what a judge says of one statement.
type Verdict struct {
	Ruling     Ruling
	Confidence float64 // the judge's own, 0 to 1; 1 where it gives none
	Reason     string  // the judge's words: untrusted text
}

// Ruling is how a statement stands to the sources.
type Ruling int8

// The rulings.
const (
	Unfaithful Ruling = iota // the sources do not bear it out
	Faithful                 // they do
	OutOfScope               // it is about nothing that they speak of
)

// Pair is a claim and the text that it is held against.
type Pair struct{ Premise, Hypothesis string }

// Relation is how likely a premise entails a hypothesis, says nothing of it, or contradicts it. The three sum to 1.
type Relation struct{ Entailment, Neutral, Contradiction float64 }

// NotJudged is an error that says why a deep look was not taken or came to nothing: a word that flags and metrics show.
type NotJudged string

// Why something was not judged.
const (
	BudgetSpent      NotJudged = "budget"            // the tokens it could cost are not to be had
	OptedOut         NotJudged = "opt_out"           // the tenant allows no calls
	JudgeCompromised NotJudged = "judge_compromised" // the judge held a planted falsehood to be true
	JudgeUnreadable  NotJudged = "judge_unreadable"  // its reply keeps no form that was asked for
	JudgeRefused     NotJudged = "judge_refused"     // it declined to judge
)

func (n NotJudged) Error() string { return string(n) }

// Skips reports reasons for which nothing was asked: the outcome is then skipped and no error.
func (n NotJudged) Skips() bool { return n == BudgetSpent || n == OptedOut }
