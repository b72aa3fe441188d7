package otlp

import (
	"slices"
	"strings"

	"confab/internal/recordformat"
	"confab/schemas"
	"confab/schemas/otlp/conventions"
	"confab/schemas/otlp/wire"
)

// findSources sets the sources of the interaction: its own, none if its messages have results of tools, else those of the
// spans that are joined to it.
func (s *recordState) findSources(i int) {
	s.ownSources(&s.batch.Entries[i])
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
func (s *recordState) ownSources(e *wire.Entry) {
	for _, at := range []conventions.Slot{conventions.GADocuments, conventions.PostSources} {
		v := s.fields.At(at)
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
	for _, list := range []conventions.Family{conventions.OIReranked, conventions.OIRetrieved} {
		if s.flatDocuments(list); len(s.in.Sources) > 0 {
			return
		}
	}
	for i := range e.Events {
		s.storeResult(&e.Events[i])
	}
}

// flatDocuments reads passages in flattened names.
func (s *recordState) flatDocuments(list conventions.Family) {
	items := s.fields.Items(list)
	s.in.Sources = slices.Grow(s.in.Sources, min(len(items)/2, maxPassages))
	for from := 0; from < len(items) && len(s.in.Sources) < recordformat.MaxSources; {
		var src schemas.Source
		to := from
		for ; to < len(items) && items[to].Index == items[from].Index; to++ {
			v := items[to].Value
			switch strings.TrimPrefix(items[to].Name, "document.") {
			case "id":
				src.ID, _ = v.Text(&s.in.Scratch)
			case "content":
				src.Text, _ = v.Text(&s.in.Scratch)
			case "score":
				src.Score, _ = v.Number()
			}
		}
		from = to
		if isText(src.Text) {
			s.in.Sources = append(s.in.Sources, src)
		}
	}
}

// storeResult reads a passage that a vector store returned, from an event of OpenLLMetry.
func (s *recordState) storeResult(event *wire.Event) {
	if event.Name != "db.query.result" && event.Name != "db.search.result" || len(s.in.Sources) >= recordformat.MaxSources {
		return
	}
	var src schemas.Source
	for i := range event.Attributes {
		a := &event.Attributes[i]
		switch name, _ := strings.CutPrefix(a.Key, event.Name+"."); name {
		case "id":
			src.ID, _ = a.Value.Text(&s.in.Scratch)
		case "document":
			src.Text, _ = a.Value.Text(&s.in.Scratch)
		case "score":
			src.Score, _ = a.Value.Number()
		}
	}
	if src.Text != "" {
		s.in.Sources = append(s.in.Sources, src)
	}
}

// passages reads what a retriever or a tool returned. Its strings point into the record and into storage of their own.
func (s *recordState) passages(i int) []schemas.Source {
	e := &s.batch.Entries[i]
	filled := s.in
	defer func() { s.in, s.fields = filled, &s.own }()
	s.fields = &s.other
	s.in = new(schemas.Interaction)
	s.fields.Read(e)
	if s.roles[i] == conventions.RoleTool {
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
	for _, at := range []conventions.Slot{conventions.GAToolResult, conventions.TLOutput, conventions.OIOutput} {
		v := s.fields.At(at)
		if v == nil {
			continue
		}
		if raw, ok := s.json(v); ok {
			if text := s.resultText(raw); isText(text) {
				s.in.Sources = append(s.in.Sources, schemas.Source{ID: s.text("", conventions.GAToolName, conventions.OIToolName, conventions.TLEntity, conventions.GAToolCallID), Text: text})
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
	v := s.fields.At(conventions.TLOutput)
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
