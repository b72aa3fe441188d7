package otlp

import (
	"slices"

	"confab/schemas"
)

// Limits of the sources that the answers of one record take.
const (
	maxJoined       = 1 << 16 // sources
	maxJoinedBytes  = 1 << 24 // their texts
	maxEvents       = 256     // log records with messages of one answer
	maxJoinedEvents = 1 << 16 // the same of all answers
)

// Why an answer got no sources from other spans: values of Interaction.NoSources.
const (
	NoTraceID       = "no_trace_id"            // the span has no ids
	LogRecord       = "log_record"             // it came as a log record
	NoRetriever     = "no_retriever_span"      // its trace has none in the record
	TraceIncomplete = "trace_incomplete"       // none in the record, which lacks a span above
	RetrieverAfter  = "retriever_after_answer" // those in the record start later
	RetrieverEmpty  = "retriever_without_text" // documents have no text
	JoinLimit       = "join_limit"             // the record's answers took too many already
)

// NoSourcesReasons lists why answers get no sources from other spans.
func NoSourcesReasons() []string {
	return []string{NoTraceID, LogRecord, NoRetriever, TraceIncomplete, RetrieverAfter, RetrieverEmpty, JoinLimit}
}

// joinSources takes the sources of the retrievers and tools that the answer follows: those of the nearest ancestor that has
// some.
func (s *recordState) joinSources(i int) {
	e := &s.batch.entries[i]
	switch {
	case e.log:
		s.in.NoSources = LogRecord
		return
	case e.trace == [16]byte{}:
		s.in.NoSources = NoTraceID
		return
	}
	why := NoRetriever
	later := false
	visit := func(a int32) bool {
		if s.trace.isMissing(a) {
			why = TraceIncomplete
		}
		group := s.trace.group(a, s.batch.entries, int32(i))
		if len(group) == 0 {
			later = later || s.trace.hasRetrieverBelow(a, s.roles)
			return true
		}
		if s.takeGroup(group); len(s.in.Sources) > 0 {
			s.in.SourcesFrom = schemas.SourcesFromRetriever
			return false
		}
		why = RetrieverEmpty
		return s.in.NoSources == ""
	}
	if s.roles[i] != roleOuter || visit(int32(i)) {
		s.trace.ancestors(int32(i), visit)
	}
	switch {
	case len(s.in.Sources) > 0 || s.in.NoSources != "":
	case later && why != RetrieverEmpty:
		s.in.NoSources = RetrieverAfter
	default:
		s.in.NoSources = why
	}
}

// takeGroup appends the sources of a group: those of its last reranker, else of every span that is not within another one.
func (s *recordState) takeGroup(group []int32) {
	for _, g := range slices.Backward(group) {
		if s.roles[g] == roleReranker {
			if s.take(g); len(s.in.Sources) > 0 {
				return
			}
		}
	}
	for _, g := range group {
		within := slices.ContainsFunc(group, func(other int32) bool {
			return other != g && s.trace.isAbove(other, g) && len(s.passagesOf(other)) > 0
		})
		if !within {
			s.take(g)
		}
	}
}

// take appends the sources of one span, unless the record's answers have too many.
func (s *recordState) take(g int32) {
	for _, p := range s.passagesOf(g) {
		if len(s.in.Sources) >= maxPassages {
			return
		}
		if p.Text == "" || slices.ContainsFunc(s.in.Sources, func(o schemas.Source) bool { return o.Text == p.Text }) {
			continue
		}
		if s.joined >= maxJoined || s.joinedBytes+len(p.Text) > maxJoinedBytes {
			s.in.NoSources = JoinLimit
			s.in.Sources = s.in.Sources[:0]
			return
		}
		s.joined++
		s.joinedBytes += len(p.Text)
		s.in.Sources = append(s.in.Sources, p)
	}
}

// maxPassages bounds the sources of one span, and those that one answer takes.
const maxPassages = 256

func (s *recordState) passagesOf(g int32) []schemas.Source {
	list, read := s.cache[g]
	if !read {
		if s.cache == nil {
			s.cache = map[int32][]schemas.Source{}
		}
		list = s.passages(int(g))
		list = list[:min(len(list), maxPassages)]
		s.cache[g] = list
	}
	return list
}
