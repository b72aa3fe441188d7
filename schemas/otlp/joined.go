package otlp

import (
	"slices"

	"confab/schemas"
)

type source = schemas.Source

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

// joinSources takes the sources of the retrievers and tools that the answer follows: those of the nearest ancestor that has
// some.
func (s *state) joinSources(i int) {
	e := &s.batch.Entries[i]
	switch {
	case e.Log:
		s.in.NoSources = LogRecord
		return
	case e.Trace == [16]byte{}:
		s.in.NoSources = NoTraceID
		return
	}
	why := NoRetriever
	later := false
	s.join.ancestors(int32(i), func(a int32) bool {
		if a >= s.join.missing && s.join.parents[a] != noNode {
			why = TraceIncomplete
		}
		group := s.join.group(a, s.batch.Entries, int32(i))
		if len(group) == 0 {
			later = later || s.join.hasRetrieverBelow(a, s.roles)
			return true
		}
		if s.takeGroup(group); len(s.in.Sources) > 0 {
			s.in.SourcesFrom = schemas.SourcesFromRetriever
			return false
		}
		why = RetrieverEmpty
		return s.in.NoSources == ""
	})
	switch {
	case len(s.in.Sources) > 0 || s.in.NoSources != "":
	case later && why != RetrieverEmpty:
		s.in.NoSources = RetrieverAfter
	default:
		s.in.NoSources = why
	}
}

// hasRetrieverBelow reports whether a retriever is among the last spans below an ancestor. Tools that an answer calls start
// after it.
func (j *joiner) hasRetrieverBelow(ancestor int32, roles []role) bool {
	at, _ := slices.BinarySearchFunc(j.rows, ancestor+1, func(r joinRow, a int32) int { return int(r.ancestor) - int(a) })
	for steps := 0; steps < maxAncestors && at > 0 && j.rows[at-1].ancestor == ancestor; steps++ {
		at--
		if r := roles[j.rows[at].entry]; r == roleRetriever || r == roleReranker {
			return true
		}
	}
	return false
}

// takeGroup appends the sources of a group: those of its last reranker, else of every span that is not within another one.
func (s *state) takeGroup(group []int32) {
	for _, g := range slices.Backward(group) {
		if s.roles[g] == roleReranker {
			if s.take(g); len(s.in.Sources) > 0 {
				return
			}
		}
	}
	for _, g := range group {
		within := slices.ContainsFunc(group, func(other int32) bool {
			return other != g && s.join.isAbove(other, g) && len(s.passagesOf(other)) > 0
		})
		if !within {
			s.take(g)
		}
	}
}

// take appends the sources of one span, unless the record's answers have too many.
func (s *state) take(g int32) {
	for _, p := range s.passagesOf(g) {
		if p.Text == "" || slices.ContainsFunc(s.in.Sources, func(o source) bool { return o.Text == p.Text }) {
			continue
		}
		if s.join.sources >= maxJoined || s.join.bytes+len(p.Text) > maxJoinedBytes {
			s.in.NoSources = JoinLimit
			s.in.Sources = s.in.Sources[:0]
			return
		}
		s.join.sources++
		s.join.bytes += len(p.Text)
		s.in.Sources = append(s.in.Sources, p)
	}
}

// maxPassages bounds the sources of one span.
const maxPassages = 256

func (s *state) passagesOf(g int32) []source {
	list, read := s.join.cache[g]
	if !read {
		list = s.passages(int(g))
		list = list[:min(len(list), maxPassages)]
		s.join.cache[g] = list
	}
	return list
}
