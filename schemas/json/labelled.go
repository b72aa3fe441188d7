package json

import (
	"bytes"

	"confab/schemas"
	"confab/schemas/json/scan"
)

// MaxLabelledBytes bounds one labelled row, which may hold many recorded samples.
const MaxLabelledBytes = 16 << 20

// MaxWeight bounds how many answers one labelled row stands for.
const MaxWeight = 1e6

// MaxSpans and MaxSamples bound the lists of one labelled row.
const (
	MaxSpans   = 1 << 12
	MaxSamples = 1 << 10
)

// DecodeLabelled fills row from one line of evaluation data: {"interaction": {…}, "label": 0|1, "task", "group",
// "dataset", "weight", "spans": [{"start", "end", "type"}], "samples": [{"answer", "logprobs"}]}. A line without a member
// interaction is read as a plain interaction, with row.Labelled false. Other members are ignored.
//
// Unlike those of Decode, the strings belong to the row: it is overwritten, and nothing of raw or of an earlier row is
// kept or shared. The error is a *scan.Error.
func DecodeLabelled(raw []byte, row *schemas.Labelled) error {
	*row = schemas.Labelled{}
	row.Interaction.Reset()
	if len(raw) > MaxLabelledBytes {
		return &scan.Error{Reason: scan.ReasonTooLarge, Offset: MaxLabelledBytes}
	}
	raw = bytes.Clone(raw)
	s := &interactionReader{Scanner: scan.New(DefaultMaxDepth), in: &row.Interaction}
	s.Start(raw)
	deep := s.Err
	if deep != nil && deep.Reason == scan.ReasonTooDeep { // unless the interaction is a member
		s.Scanner = scan.New(DefaultMaxDepth + 1)
		s.Start(raw)
	}
	switch at, _ := s.Find(0, "interaction"); {
	case at > 0:
		s.labelled(row)
	case deep != nil:
		s.Err = deep
	default:
		s.interaction()
	}
	s.End()
	row.Interaction.Scratch, row.Interaction.Repaired = s.Scratch, s.Repaired
	if s.Err != nil {
		return s.Err
	}
	return nil
}

func (s *interactionReader) labelled(row *schemas.Labelled) {
	o := s.Object("an object")
	for name, ok := s.Next(&o); ok; name, ok = s.Next(&o) {
		s.rowMember(row, name)
		s.Field = ""
	}
	for _, sp := range row.Spans {
		if sp.Start > sp.End || sp.End > len(row.Interaction.Answer) {
			s.Field = "spans"
			s.Fault(scan.ReasonOutOfRange, "a span must lie within the answer; offsets count bytes")
		}
	}
}

func (s *interactionReader) rowMember(row *schemas.Labelled, name string) {
	switch name {
	case "interaction":
		s.interaction()
	case "label":
		s.Field = "label"
		if !s.Null() {
			row.Label, row.Labelled = int(s.Integer(0, 1)), true
		}
	case "task":
		s.Field = "task"
		row.Task = s.OptionalText()
	case "group":
		s.Field = "group"
		row.Group = s.OptionalText()
	case "dataset":
		s.Field = "dataset"
		row.Dataset = s.OptionalText()
	case "weight":
		s.Field = "weight"
		s.weight(row)
	case "spans":
		s.Field = "spans"
		s.spans(row)
	case "samples":
		s.Field = "samples"
		s.samples(row)
	default:
		s.Skip()
	}
}

// weight reads how many answers the row stands for.
func (s *interactionReader) weight(row *schemas.Labelled) {
	if s.Null() {
		return
	}
	row.Weight = s.Float()
	if s.Err == nil && !(row.Weight > 0 && row.Weight <= MaxWeight) {
		s.Fault(scan.ReasonOutOfRange, "a weight is above 0 and at most a million")
	}
}

func (s *interactionReader) spans(row *schemas.Labelled) {
	if s.Null() {
		return
	}
	l := s.List(MaxSpans, "a list of spans")
	for s.More(&l) {
		var sp schemas.Span
		o := s.Object("a span")
		for name, ok := s.Next(&o); ok; name, ok = s.Next(&o) {
			switch name {
			case "start":
				sp.Start = int(s.Integer(0, MaxLabelledBytes))
			case "end":
				sp.End = int(s.Integer(0, MaxLabelledBytes))
			case "type":
				sp.Type = s.OptionalText()
			default:
				s.Skip()
			}
		}
		row.Spans = append(row.Spans, sp)
	}
}

func (s *interactionReader) samples(row *schemas.Labelled) {
	if s.Null() {
		return
	}
	l := s.List(MaxSamples, "a list of samples")
	for s.More(&l) {
		row.Samples = append(row.Samples, s.sample())
	}
}

func (s *interactionReader) sample() (out schemas.Sample) {
	s.pending.tokens.Reset()
	o := s.Object("a sample")
	for name, ok := s.Next(&o); ok; name, ok = s.Next(&o) {
		switch {
		case name == "answer":
			out.Answer = s.OptionalText()
		case name == "logprobs" && !s.Null():
			s.tokenLogprobs(&out.Logprobs)
		case name != "logprobs":
			s.Skip()
		}
	}
	s.pending.tokens.AlignOffsets(&out.Logprobs, out.Answer)
	return out
}
