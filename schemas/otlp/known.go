package otlp

import (
	"slices"
	"strings"

	"confab/schemas"
)

// Limits of what is known of one trace. The oldest spans of a kind are forgotten first.
const (
	maxKnownSpans  = 64       // of each kind: with sources, answers, others
	maxKnownAnswer = 16 << 10 // bytes; longer ones are not compared
	knownSpanBytes = 192      // that a span needs besides its texts
	passageBytes   = 72       // that a passage needs besides its texts
)

// TraceSpans are the spans of one trace that records had before: enough to join them to those of other records. It is not
// safe for concurrent use.
type TraceSpans struct {
	Trace [16]byte

	spans []knownSpan
	bytes int
}

// knownSpan is a span of an earlier record.
type knownSpan struct {
	record       int64
	span, parent [8]byte
	start, end   uint64
	role         spanRole
	passages     []schemas.Source
	answer       string
}

// Bytes is about how much memory the spans need.
func (t *TraceSpans) Bytes() int { return knownSpanBytes + t.bytes }

// TraceParts says what a record has of its trace.
type TraceParts struct{ Sources, Answers bool }

// DecodeTrace is Decode for a record of one trace: answers also take sources from the spans of other records, which get the
// spans of this one. The record's number identifies it, since it may be decoded again.
func (d *Decoder) DecodeTrace(raw []byte, record int64, of *TraceSpans, to Sink) (Counts, TraceParts, error) {
	s := d.state()
	defer d.release(s)
	if err := s.read(raw); err != nil {
		return Counts{}, TraceParts{}, err
	}
	s.sink = to
	before := *of
	before.spans = slices.DeleteFunc(slices.Clone(of.spans), func(k knownSpan) bool { return k.record == record })
	s.classify(&before)
	s.decodeEntries()
	return s.counts, s.learn(record, of), nil
}

// addOthers appends the spans of other records behind the entries.
func (s *recordState) addOthers(t *TraceSpans) {
	if t == nil {
		return
	}
	for i := range t.spans {
		k := &t.spans[i]
		start := k.start
		if k.role.hasSources() && start > 0 {
			start-- // at the same time counts as before, as in one record
		}
		s.batch.entries = append(s.batch.entries, entry{trace: t.Trace, span: k.span, parent: k.parent, start: start, end: k.end})
		s.roles = append(s.roles, k.role)
	}
}

// setOthers sets what is known of the spans of other records.
func (s *recordState) setOthers(t *TraceSpans) {
	if t == nil {
		return
	}
	if s.cache == nil {
		s.cache = map[int32][]schemas.Source{}
	}
	for i := range t.spans {
		s.cache[int32(s.entries+i)] = t.spans[i].passages
		s.trace.setAnswer(s.entries+i, t.spans[i].answer)
	}
}

// learn adds the spans of the record to the trace.
func (s *recordState) learn(record int64, t *TraceSpans) (parts TraceParts) {
	for i := range s.entries {
		e := &s.batch.entries[i]
		if e.err != nil || e.log || e.trace != t.Trace || e.span == [8]byte{} {
			continue
		}
		role := s.roles[i]
		parts.Sources = parts.Sources || role.hasSources()
		parts.Answers = parts.Answers || role == roleAnswer
		if slices.ContainsFunc(t.spans, func(k knownSpan) bool { return k.span == e.span }) {
			continue // also of a record that is decoded again
		}
		k := knownSpan{record: record, span: e.span, parent: e.parent, start: e.start, end: e.end, role: role}
		if role.hasSources() {
			k.passages = clonePassages(s.passagesOf(int32(i)))
		}
		if answer := s.trace.answerOf(i); len(answer) <= maxKnownAnswer {
			k.answer = strings.Clone(answer)
		}
		t.add(k)
	}
	return parts
}

// add adds a span, and forgets the oldest of its kind if there are too many.
func (t *TraceSpans) add(k knownSpan) {
	same, oldest := 0, -1
	for i := range t.spans {
		if t.spans[i].kind() == k.kind() {
			if same++; oldest < 0 {
				oldest = i
			}
		}
	}
	if same >= maxKnownSpans {
		t.bytes -= t.spans[oldest].size()
		t.spans = slices.Delete(t.spans, oldest, oldest+1)
	}
	t.bytes += k.size()
	t.spans = append(t.spans, k)
}

// kind is the kind of a span for the limit.
func (k *knownSpan) kind() int {
	switch {
	case k.role.hasSources():
		return 0
	case k.role == roleAnswer:
		return 1
	}
	return 2
}

func (k *knownSpan) size() int {
	n := knownSpanBytes + len(k.answer)
	for i := range k.passages {
		p := &k.passages[i]
		n += len(p.ID) + len(p.Text) + len(p.URI) + len(p.Title) + passageBytes
	}
	return n
}

// clonePassages copies passages out of the record.
func clonePassages(list []schemas.Source) []schemas.Source {
	out := slices.Clone(list)
	for i := range out {
		p := &out[i]
		p.ID, p.Text, p.URI, p.Title = strings.Clone(p.ID), strings.Clone(p.Text), strings.Clone(p.URI), strings.Clone(p.Title)
	}
	return out
}

// HasAnswers reports whether a record had an answer of the trace.
func (t *TraceSpans) HasAnswers() bool {
	return slices.ContainsFunc(t.spans, func(k knownSpan) bool { return k.role == roleAnswer })
}
