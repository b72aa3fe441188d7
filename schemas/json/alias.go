package json

import "slices"

// fieldAlias is a common name of one of our fields in logs of RAG applications and evaluation libraries.
type fieldAlias struct{ name, field string }

// fieldAliases are read where the record does not have the field itself, the first of a field before the next.
//
//nolint:gochecknoglobals // a read-only table
var fieldAliases = [...]fieldAlias{
	{"contexts", "sources"},
	{"context", "sources"},
	{"retrieved_contexts", "sources"}, // Ragas
	{"retrieval_context", "sources"},  // DeepEval
	{"question", "prompt"},
	{"query", "prompt"},
	{"user_input", "prompt"}, // Ragas
	{"input", "prompt"},      // DeepEval, chains of LangChain
	{"response", "answer"},
	{"actual_output", "answer"}, // DeepEval
}

// deferAlias skips the next value and keeps its position if it may be read as the field of an alias: text, or for sources a
// list. Other shapes mean something else, such as the response of an API as an object.
func (s *interactionReader) deferAlias(name string) bool {
	i := slices.IndexFunc(fieldAliases[:], func(a fieldAlias) bool { return a.name == name })
	if i < 0 {
		return false
	}
	if c := s.Peek(); c != '"' && (c != '[' || fieldAliases[i].field != "sources") {
		return false
	}
	s.pending.aliases[i] = s.Pos
	s.Skip()
	return true
}

// applyAliases reads the aliases of fields that the record lacks, after its last member. An alias that is not read is an
// unknown field.
func (s *interactionReader) applyAliases() {
	end := s.Pos
	for i, pos := range s.pending.aliases {
		if pos == 0 || s.Err != nil {
			continue
		}
		field := findField(fieldAliases[i].field, 0)
		if s.pending.seen&(1<<field) != 0 {
			s.addUnknown(fieldAliases[i].name)
			continue
		}
		s.Pos = pos
		s.readField(field)
		s.Pos = end
	}
}
