package schemas

// EarlierTurn is an answer of the assistant before the present one in its conversation, with the question before it: what they
// stated, as hashes and short excerpts.
type EarlierTurn struct {
	Number int           // among the answers of the conversation, from 1
	Facts  []EarlierFact // of the answer
	Words  []uint32      // of the question and the answer: words and values
	Asked  []uint32      // of the question: names, dates and figures, which may name another subject
	Shifts bool          // the question asks for a change or supposes something
}

// EarlierFact is a figure, name or decision of an answer with the words that it belongs to.
type EarlierFact struct {
	Form    uint16   // what kind of value it is; only equal forms are compared
	Value   uint64   // hash
	Subject []uint32 // hashes of words
	Own     int      // how many of them the answer itself has; the others are of its question
	Text    string   // around the value, at most 160 bytes; redacted, if it was stored
}
