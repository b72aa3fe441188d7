package otlp

import (
	"cmp"
	"slices"
	"strings"

	tracepb "go.opentelemetry.io/proto/otlp/trace/v1"

	"confab/internal/recordformat"
	"confab/schemas"
	"confab/schemas/json/llmapi"
)

// findSources says where the sources of the interaction are from: its own, none if its messages have results of tools, else those of
// the spans that are joined to it.
func (s *recordState) findSources(i int) {
	if len(s.in.Sources) > 0 {
		s.in.SourcesFrom = schemas.SourcesFromField
		return
	}
	for k := range s.in.Messages {
		if s.in.Messages[k].Role == "tool" && s.in.Messages[k].Content != "" {
			return
		}
	}
	switch e := &s.batch.entries[i]; {
	case !s.d.join:
	case e.log:
		s.in.NoSources = LogRecord
	case e.trace == [16]byte{}:
		s.in.NoSources = NoTraceID
	default:
		s.joinSources(i)
	}
}

// Where conventions have passages: attributes in JSON, lists in flattened names, results of tools, outputs of any function.
//
//nolint:gochecknoglobals // read-only tables
var (
	argumentPlaces = []string{"gen_ai.tool.call.arguments", "ai.toolCall.args", "gcp.vertex.agent.tool_call_args", "traceloop.entity.input", "mlflow.spanInputs", "langfuse.observation.input", "input.value", "genkit:input", "lmnr.span.input"}
	resultPlaces   = []string{"gen_ai.tool.call.result", "ai.toolCall.result", "gcp.vertex.agent.tool_response"}
	outputPlaces   = []string{"traceloop.entity.output", "mlflow.spanOutputs", "langfuse.observation.output", "output.value", "genkit:output", "haystack.component.output", "lmnr.span.output"}
	passagePlaces  = []string{"gen_ai.retrieval.documents", "rag.sources_json"}
	passageLists   = []string{"reranker.output_documents.", "retrieval.documents."}
)

// hasPassages reports an attribute with passages.
func hasPassages(key string) bool {
	return slices.Contains(passagePlaces, key) || slices.ContainsFunc(passageLists, func(list string) bool { return strings.HasPrefix(key, list) })
}

// ownSources reads the passages of an entry into s.in, whose fields have been read.
func (s *recordState) ownSources(e *entry) {
	for _, at := range passagePlaces {
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
	for _, list := range passageLists {
		if raw, _, _ := s.fields.list(list); raw != nil && s.documents(raw) {
			return
		}
	}
	for _, event := range e.events {
		s.storeResult(event)
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
		s.toolResult(e)
		return s.in.Sources
	}
	s.ownSources(e)
	if len(s.in.Sources) == 0 {
		s.retrieverOutput()
	}
	return s.in.Sources
}

// toolResult reads the result of a tool as one passage.
func (s *recordState) toolResult(e *entry) {
	if c := s.toolCall(e); isText(c.Result) {
		s.in.Sources = append(s.in.Sources, schemas.Source{ID: cmp.Or(c.Name, c.ID), Text: c.Result})
	}
}

// toolCall reads the span of a tool.
func (s *recordState) toolCall(e *entry) (c schemas.ToolCall) {
	first := func(places []string) string {
		for _, at := range places {
			raw, ok := s.json(s.fields.at(at))
			if text := plainText(raw); ok && isText(text) {
				return text
			}
		}
		return ""
	}
	c.ID = s.text("", "gen_ai.tool.call.id", "ai.toolCall.id", "tool_call.id", "tool.id")
	c.Name = s.text("", "gen_ai.tool.name", "ai.toolCall.name", "tool.name", "traceloop.entity.name")
	c.Arguments, c.Result = first(argumentPlaces), first(slices.Concat(resultPlaces, outputPlaces))
	if e.failed || s.fields.at("error.type") != nil {
		c.Error = cmp.Or(e.message, s.text("", "exception.message", "error.message", "error.type"), c.Result, "error")
	}
	return c
}

// toolSpans adds the calls of tools whose spans the answer follows, with the earlier turns of their trace.
func (s *recordState) toolSpans(i int) {
	answer := &s.batch.entries[i]
	if !s.d.join || answer.log || answer.trace == [16]byte{} || len(s.trace.tools[answer.trace]) == 0 {
		return
	}
	defer func() { s.fields = &s.own }()
	s.fields = &s.other
	turns, until := s.turnsBefore(i)
	calls, earlier := []schemas.ToolCall{}, 0
	for _, k := range s.trace.tools[answer.trace] {
		if e := &s.batch.entries[k]; s.roles[i] == roleOuter || e.start < answer.start {
			s.fields.read(e)
			c := s.toolCall(e)
			c.Name = cmp.Or(c.Name, strings.TrimPrefix(e.name, "execute_tool "))
			if c.Error != "" {
				c.Result = ""
			}
			if calls = append(calls, c); e.start < until {
				turns, earlier = append(turns, schemas.Message{Role: "tool", Content: c.Result}), len(calls)
			}
		}
	}
	isUser := func(m schemas.Message) bool { return m.Role == "user" }
	if at := slices.IndexFunc(s.in.Messages, isUser); at >= 0 && !slices.ContainsFunc(s.in.Messages[at+1:], isUser) {
		s.in.Messages = slices.Insert(s.in.Messages, at, turns...)
	}
	calls = slices.Concat(calls[:earlier], s.in.Calls, calls[earlier:])
	s.in.Calls = nil
	llmapi.AddCalls(s.in, calls)
}

// turn is what the user asked for an answer below a span at the top of its trace.
type turn struct {
	root     int32
	start    uint64
	question string
}

// turnsBefore are the user's messages of earlier turns: of answers below other spans at the top. Calls before that time are theirs.
func (s *recordState) turnsBefore(i int) (list []schemas.Message, until uint64) {
	e := &s.batch.entries[i]
	own := turn{int32(i), e.start, strings.Clone(s.in.UserQuestion())}
	s.trace.ancestors(own.root, func(a int32) bool {
		if s.trace.parents[a] != noNode { // no trace
			own.root = a
		}
		return true
	})
	turns := slices.DeleteFunc(s.turns[e.trace], func(t turn) bool { return t.root == own.root || t.question == own.question })
	for _, t := range turns {
		if t.start < own.start {
			list, until = append(list, schemas.Message{Role: "user", Content: t.question}), max(until, t.start)
		}
	}
	s.turns[e.trace] = append(turns[max(0, len(turns)-maxTools):], own)
	return list, until
}

// retrieverOutput reads what a retriever returned, in one of the places of any function's output.
func (s *recordState) retrieverOutput() {
	for _, at := range outputPlaces {
		raw, ok := s.json(s.fields.at(at))
		if ok && looksLikeJSON(raw) && s.documents(raw) {
			return
		}
	}
}

// documents reads passages in a list, or in an object around one.
func (s *recordState) documents(raw []byte) bool {
	if raw[0] == '[' {
		raw = append(append([]byte(`{"documents":`), raw...), '}')
	}
	if llmapi.Request(raw, s.in) != nil {
		return false
	}
	s.in.Sources = slices.DeleteFunc(s.in.Sources, func(src schemas.Source) bool { return src.Text == redacted })
	return len(s.in.Sources) > 0
}
