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
// "dataset", "weight", "meta": {"kind"}, "spans": [{"start", "end", "type"}], "samples": [{"answer", "logprobs"}]}. A line
// without a member interaction is read as a plain interaction, with row.Labelled false. Other members are ignored.
//
// Unlike those of Decode, the strings belong to the row: it is overwritten, and nothing of raw or of an earlier row is
// kept or shared. The error is a *scan.Error.
func DecodeLabelled(raw []byte, row *schemas.Labelled) error {
	return (*Shapes)(nil).DecodeLabelled(raw, row)
}

// DecodeLabelled is DecodeLabelled for lines that may also be records of the shapes. The error may be [ErrSkipped], too.
func (t *Shapes) DecodeLabelled(raw []byte, row *schemas.Labelled) error {
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
		s.shaped(t)
	}
	s.End()
	row.Interaction.Scratch, row.Interaction.Repaired = s.Scratch, s.Repaired
	return s.result()
}

func (s *interactionReader) labelled(row *schemas.Labelled) {
	for _, member := range []struct {
		name string
		read func()
	}{
		{"interaction", s.interaction},
		{"label", func() { row.Label, row.Labelled = int(s.Integer(0, 1)), true }},
		{"task", func() { row.Task = s.OptionalText() }},
		{"group", func() { row.Group = s.OptionalText() }},
		{"dataset", func() { row.Dataset = s.OptionalText() }},
		{"weight", func() {
			if row.Weight = s.Float(); !(row.Weight > 0 && row.Weight <= MaxWeight) {
				s.Fault(scan.ReasonOutOfRange, "a weight is above 0 and at most a million")
			}
		}},
		{"meta", func() { at, _ := s.Find(s.Pos, "kind"); row.Kind = s.TextAt(at) }},
		{"spans", func() { s.spans(row) }},
		{"samples", func() { s.samples(row) }},
	} {
		at, _ := s.Find(0, member.name)
		if c := s.Kind(at); s.Err == nil && c != 0 && (c != 'n' || member.name == "interaction") {
			if s.Pos = at; member.name != "interaction" {
				s.Field = member.name
			}
			member.read()
			s.Field = ""
		}
	}
}

func (s *interactionReader) spans(row *schemas.Labelled) {
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
		if sp.Start > sp.End || sp.End > len(row.Interaction.Answer) {
			s.Fault(scan.ReasonOutOfRange, "a span must lie within the answer; offsets count bytes")
		}
		row.Spans = append(row.Spans, sp)
	}
}

func (s *interactionReader) samples(row *schemas.Labelled) {
	l := s.List(MaxSamples, "a list of samples")
	for s.More(&l) {
		var out schemas.Sample
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
		row.Samples = append(row.Samples, out)
	}
}
