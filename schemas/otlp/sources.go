package otlp

import (
	"slices"
	"strings"

	tracepb "go.opentelemetry.io/proto/otlp/trace/v1"

	"confab/internal/recordformat"
	"confab/schemas"
)

// findSources sets the sources of the interaction: its own, none if its messages have results of tools, else those of the
// spans that are joined to it.
func (s *recordState) findSources(i int) {
	s.ownSources(&s.batch.entries[i])
	if len(s.in.Sources) > 0 {
		s.in.SourcesFrom = schemas.SourcesFromField
		return
	}
	for k := range s.in.Messages {
		if s.in.Messages[k].Role == "tool" && s.in.Messages[k].Content != "" {
			return
		}
	}
	if s.d.join {
		s.joinSources(i)
	}
}

// ownSources reads the passages of an entry into s.in, whose fields have been read.
func (s *recordState) ownSources(e *entry) {
	for _, at := range []string{"gen_ai.retrieval.documents", "rag.sources_json"} {
		v := s.fields.at(at)
		if v == nil {
			continue
		}
		raw, ok := s.json(v)
		if !ok || s.d.fields.DecodeField(schemas.FieldSources, raw, s.in) != nil {
			s.in.Sources = s.in.Sources[:0]
			s.malformed(schemas.FieldSources)
			continue
		}
		if len(s.in.Sources) > 0 {
			return
		}
	}
	for _, list := range []string{"reranker.output_documents.", "retrieval.documents."} {
		if s.flatDocuments(list); len(s.in.Sources) > 0 {
			return
		}
	}
	for _, event := range e.events {
		s.storeResult(event)
	}
}

// flatDocuments reads passages in flattened names.
func (s *recordState) flatDocuments(list string) {
	items := s.fields.items(list)
	s.in.Sources = slices.Grow(s.in.Sources, min(len(items)/2, maxPassages))
	for from := 0; from < len(items) && len(s.in.Sources) < recordformat.MaxSources; {
		var src schemas.Source
		to := from
		for ; to < len(items) && items[to].index == items[from].index; to++ {
			v := items[to].value
			switch strings.TrimPrefix(items[to].name, "document.") {
			case "id":
				src.ID, _ = textOf(v)
			case "content":
				src.Text, _ = textOf(v)
			case "score":
				src.Score, _ = numberOf(v)
			}
		}
		from = to
		if isText(src.Text) {
			s.in.Sources = append(s.in.Sources, src)
		}
	}
}

// storeResult reads a passage that a vector store returned, from an event of OpenLLMetry.
func (s *recordState) storeResult(event *tracepb.Span_Event) {
	if !isStoreResult(event.GetName()) || len(s.in.Sources) >= recordformat.MaxSources {
		return
	}
	var src schemas.Source
	for _, a := range event.GetAttributes() {
		switch name, _ := strings.CutPrefix(a.GetKey(), event.GetName()+"."); name {
		case "id":
			src.ID, _ = textOf(a.GetValue())
		case "document":
			src.Text, _ = textOf(a.GetValue())
		case "score":
			src.Score, _ = numberOf(a.GetValue())
		}
	}
	if src.Text != "" {
		s.in.Sources = append(s.in.Sources, src)
	}
}

// passages reads what a retriever or a tool returned. Its strings point into the record and into storage of their own.
func (s *recordState) passages(i int) []schemas.Source {
	e := &s.batch.entries[i]
	filled := s.in
	defer func() { s.in, s.fields = filled, &s.own }()
	s.fields = &s.other
	s.in = new(schemas.Interaction)
	s.fields.read(e)
	if s.roles[i] == roleTool {
		s.toolResult()
		return s.in.Sources
	}
	s.ownSources(e)
	if len(s.in.Sources) == 0 {
		s.retrieverOutput()
	}
	return s.in.Sources
}

// toolResult reads the result of a tool as one passage.
func (s *recordState) toolResult() {
	for _, at := range []string{"gen_ai.tool.call.result", "traceloop.entity.output", "output.value"} {
		v := s.fields.at(at)
		if v == nil {
			continue
		}
		if raw, ok := s.json(v); ok {
			if text := s.resultText(raw); isText(text) {
				s.in.Sources = append(s.in.Sources, schemas.Source{ID: s.text("", "gen_ai.tool.name", "tool.name", "traceloop.entity.name", "gen_ai.tool.call.id"), Text: text})
				return
			}
		}
	}
}

// resultText is the text of a result: of a JSON string, or as it is.
func (s *recordState) resultText(raw []byte) string {
	if text := s.stringOf(raw); text != "" {
		return text
	}
	return recordformat.StringView(raw)
}

// retrieverOutput reads the output of a retriever of OpenLLMetry: passages in a list, or in its member documents.
func (s *recordState) retrieverOutput() {
	v := s.fields.at("traceloop.entity.output")
	if v == nil {
		return
	}
	raw, ok := s.json(v)
	if list := memberOf(raw, "documents"); list != nil {
		raw = list
	}
	if !ok || raw[0] != '[' || s.d.fields.DecodeField(schemas.FieldSources, raw, s.in) != nil {
		s.in.Sources = s.in.Sources[:0]
	}
}
