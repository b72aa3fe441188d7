package schemas

// Labelled is one row of evaluation data: an interaction, what people found it to be, and recorded resamples of it.
type Labelled struct {
	Interaction Interaction
	Labelled    bool // false for a plain interaction: Label then says nothing
	Label       int  // 1 = hallucinated, unsupported or invalid; 0 = fine

	Task    string // qa, summary, data2txt, dialogue, citation, open, schema, …
	Group   string // rows of one group share a source: split and resample by it
	Dataset string
	Kind    string  // of the fault, where the data names it: meta.kind
	Weight  float64 // how many answers the row stands for; 0 counts as 1

	Spans   []Span // the faulty places, where the data has them
	Samples []Sample
}

// Span is a labelled place in an answer.
type Span struct {
	Start, End int // byte offsets in the answer, 0 ≤ Start ≤ End ≤ len(Answer)
	Type       string
}

// Sample is another answer of the same model to the same prompt.
type Sample struct {
	Answer   string
	Logprobs Logprobs // Offsets are those of this sample's Answer
}
