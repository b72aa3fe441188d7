package json

import (
	"bytes"

	"confab/schemas"
)

// MaxLabelledBytes caps one labelled row, which may hold many recorded samples.
const MaxLabelledBytes = 16 << 20

// MaxSpans and MaxSamples cap the lists of one labelled row.
const (
	MaxSpans   = 1 << 12
	MaxSamples = 1 << 10
)

// DecodeLabelled fills row from one line of evaluation data: {"interaction": {…}, "label": 0|1, "task", "group",
// "dataset", "spans": [{"start", "end", "type"}], "samples": [{"answer", "logprobs"}]}. A line without a member
// interaction is read as a plain interaction, with row.Labelled false. Other members are ignored.
//
// Unlike those of Decode, the strings belong to the row: it is overwritten whole, and nothing of raw or of an earlier
// row is kept or shared. The error is an *Error.
func DecodeLabelled(raw []byte, row *schemas.Labelled) error {
	*row = schemas.Labelled{}
	row.Interaction.Reset()
	if len(raw) > MaxLabelledBytes {
		return &Error{Reason: ReasonTooLarge, Offset: MaxLabelledBytes}
	}
	s := &reader{Scanner: NewScanner(DefaultMaxDepth), in: &row.Interaction}
	s.start(bytes.Clone(raw))
	const asDeepAsAlone = -1 // an interaction may nest as deeply in a row as without one
	s.depth = asDeepAsAlone
	if s.has("interaction") {
		s.depth = asDeepAsAlone
		s.labelled(row)
	} else {
		s.interaction()
	}
	s.end()
	row.Interaction.Scratch, row.Interaction.Repaired = s.scratch, s.repaired
	if s.err != nil {
		return s.err
	}
	return nil
}

// has tells whether the object holds a member, and goes back to its start.
func (s *reader) has(want string) (found bool) {
	o := s.object("an object")
	for name, ok := s.next(&o); ok; name, ok = s.next(&o) {
		found = found || name == want
		s.skip()
	}
	if s.err == nil {
		s.restart()
	}
	return found
}

func (s *reader) labelled(row *schemas.Labelled) {
	o := s.object("an object")
	for name, ok := s.next(&o); ok; name, ok = s.next(&o) {
		s.rowMember(row, name)
		s.field = ""
	}
	for _, sp := range row.Spans {
		if sp.Start > sp.End || sp.End > len(row.Interaction.Answer) {
			s.field = "spans"
			s.fault(ReasonOutOfRange, "a span must lie within the answer; offsets count bytes")
		}
	}
}

func (s *reader) rowMember(row *schemas.Labelled, name string) {
	switch name {
	case "interaction":
		s.interaction()
	case "label":
		s.field = "label"
		if !s.null() {
			row.Label, row.Labelled = int(s.integer(0, 1)), true
		}
	case "task":
		s.field = "task"
		row.Task = s.optional()
	case "group":
		s.field = "group"
		row.Group = s.optional()
	case "dataset":
		s.field = "dataset"
		row.Dataset = s.optional()
	case "spans":
		s.field = "spans"
		s.spans(row)
	case "samples":
		s.field = "samples"
		s.samples(row)
	default:
		s.skip()
	}
}

func (s *reader) spans(row *schemas.Labelled) {
	if s.null() {
		return
	}
	l := s.list(MaxSpans, "a list of spans")
	for s.more(&l) {
		var sp schemas.Span
		o := s.object("a span")
		for name, ok := s.next(&o); ok; name, ok = s.next(&o) {
			switch name {
			case "start":
				sp.Start = int(s.integer(0, MaxLabelledBytes))
			case "end":
				sp.End = int(s.integer(0, MaxLabelledBytes))
			case "type":
				sp.Type = s.optional()
			default:
				s.skip()
			}
		}
		row.Spans = append(row.Spans, sp)
	}
}

func (s *reader) samples(row *schemas.Labelled) {
	if s.null() {
		return
	}
	l := s.list(MaxSamples, "a list of samples")
	for s.more(&l) {
		row.Samples = append(row.Samples, s.sample())
	}
}

func (s *reader) sample() (out schemas.Sample) {
	s.pending.tokens.reset()
	o := s.object("a sample")
	for name, ok := s.next(&o); ok; name, ok = s.next(&o) {
		switch {
		case name == "answer":
			out.Answer = s.optional()
		case name == "logprobs" && !s.null():
			s.tokenLogprobs(&out.Logprobs)
		case name != "logprobs":
			s.skip()
		}
	}
	s.pending.tokens.place(&out.Logprobs, out.Answer)
	return out
}
