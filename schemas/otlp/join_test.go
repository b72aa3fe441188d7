package otlp

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	tracepb "go.opentelemetry.io/proto/otlp/trace/v1"
	"google.golang.org/protobuf/encoding/protowire"

	"confab/schemas"
)

// joinCase is a trace with an answer "x".
type joinCase struct {
	spans []*tracepb.Span
	want  string // the answer's sources, or why there are none
}

func joinCases() map[string]joinCase {
	chain := func(self, parent byte, start uint64) *tracepb.Span {
		return span(self, parent, start, "openinference.span.kind", "CHAIN")
	}
	reranker := func(self, parent byte, start uint64, text string) *tracepb.Span {
		return span(self, parent, start, "openinference.span.kind", "RERANKER", "reranker.output_documents.0.document.content", text)
	}
	tool := func(self, parent byte, start uint64, text string) *tracepb.Span {
		return span(self, parent, start, "gen_ai.operation.name", "execute_tool", "gen_ai.tool.name", "find", "gen_ai.tool.call.result", text)
	}
	ofTrace := func(s *tracepb.Span, k byte) *tracepb.Span { s.TraceId = id(16, k); return s }
	after := chat(3, 1, 5, "x")
	after.EndTimeUnixNano = 1
	return map[string]joinCase{
		"sibling":                   {[]*tracepb.Span{retriever(2, 1, 2, "A"), chat(3, 1, 3, "x"), chain(1, 0, 1)}, "A"},
		"aunt":                      {[]*tracepb.Span{retriever(2, 1, 2, "A"), chain(4, 1, 3), chain(5, 4, 3), chat(3, 5, 4, "x"), chain(1, 0, 1)}, "A"},
		"cousin":                    {[]*tracepb.Span{chain(6, 1, 1), retriever(2, 6, 2, "A"), chain(4, 1, 3), chat(3, 4, 4, "x"), chain(1, 0, 1)}, "A"},
		"ancestor":                  {[]*tracepb.Span{retriever(2, 0, 2, "A"), chat(3, 2, 3, "x")}, "A"},
		"the nearest of two":        {[]*tracepb.Span{retriever(2, 1, 2, "far"), chain(4, 1, 3), retriever(5, 4, 4, "near"), chat(3, 4, 5, "x"), chain(1, 0, 1)}, "near"},
		"both of one search":        {[]*tracepb.Span{retriever(2, 1, 2, "A"), retriever(4, 1, 3, "B"), chat(3, 1, 4, "x"), chain(1, 0, 1)}, "A B"},
		"after an answer":           {[]*tracepb.Span{retriever(2, 1, 2, "old"), chat(4, 1, 3, "y"), retriever(5, 1, 4, "new"), chat(3, 1, 5, "x"), chain(1, 0, 1)}, "new"},
		"two answers of a search":   {[]*tracepb.Span{retriever(2, 1, 2, "A"), chat(4, 1, 3, "y"), chat(3, 1, 4, "x"), chain(1, 0, 1)}, "A"},
		"reranked":                  {[]*tracepb.Span{retriever(2, 1, 2, "A"), reranker(4, 1, 3, "B"), chat(3, 1, 4, "x"), chain(1, 0, 1)}, "B"},
		"empty reranker":            {[]*tracepb.Span{retriever(2, 1, 2, "A"), reranker(4, 1, 3, ""), chat(3, 1, 4, "x"), chain(1, 0, 1)}, "A"},
		"retriever within one":      {[]*tracepb.Span{retriever(4, 2, 2, "raw"), retriever(2, 1, 2, "A"), chat(3, 1, 4, "x"), chain(1, 0, 1)}, "A"},
		"within an empty one":       {[]*tracepb.Span{retriever(4, 2, 2, "raw"), retriever(2, 1, 2, ""), chat(3, 1, 4, "x"), chain(1, 0, 1)}, "raw"},
		"the same text twice":       {[]*tracepb.Span{retriever(2, 1, 2, "A"), retriever(4, 1, 3, "A"), chat(3, 1, 4, "x"), chain(1, 0, 1)}, "A"},
		"tool":                      {[]*tracepb.Span{tool(2, 1, 2, "T"), chat(3, 1, 3, "x"), chain(1, 0, 1)}, "T"},
		"any order in the record":   {[]*tracepb.Span{chain(1, 0, 1), chat(3, 1, 3, "x"), retriever(2, 1, 2, "A")}, "A"},
		"parent not exported yet":   {[]*tracepb.Span{retriever(2, 1, 2, "A"), chat(3, 1, 3, "x")}, "A"},
		"parents not in the record": {[]*tracepb.Span{retriever(2, 7, 2, "A"), chat(3, 8, 3, "x")}, "A"},
		"same time":                 {[]*tracepb.Span{retriever(2, 1, 2, "A"), chat(3, 1, 2, "x")}, "A"},
		"skewed end":                {[]*tracepb.Span{retriever(2, 1, 2, "A"), after}, "A"},
		"skewed start":              {[]*tracepb.Span{retriever(2, 1, 9, "A"), chat(3, 1, 3, "x"), chain(1, 0, 1)}, RetrieverAfter},
		"a tool that it calls":      {[]*tracepb.Span{chat(3, 1, 3, "x"), tool(2, 1, 9, "T"), chain(1, 0, 1)}, NoRetriever},
		"no retriever":              {[]*tracepb.Span{chat(3, 1, 3, "x"), chain(1, 0, 1)}, NoRetriever},
		"split over records":        {[]*tracepb.Span{chat(3, 1, 3, "x")}, TraceIncomplete},
		"another trace":             {[]*tracepb.Span{ofTrace(retriever(2, 1, 2, "A"), 2), chat(3, 0, 3, "x")}, NoRetriever},
		"without text":              {[]*tracepb.Span{retriever(2, 1, 2, ""), chat(3, 1, 3, "x"), chain(1, 0, 1)}, RetrieverEmpty},
		"its own parent":            {[]*tracepb.Span{chat(3, 3, 3, "x")}, NoRetriever},
		"a cycle":                   {[]*tracepb.Span{chain(1, 2, 1), chain(2, 1, 1), chat(3, 1, 3, "x"), retriever(4, 2, 2, "A")}, "A"},
	}
}

// Answers take the passages of the nearest retriever before them. What is not joined says why.
func TestJoin(t *testing.T) {
	for name, tt := range joinCases() {
		t.Run(name, func(t *testing.T) {
			c, _ := decodeBoth(t, traces(tt.spans...), Options{})
			var last *schemas.Interaction
			for _, in := range c.found {
				if in.Answer == "x" {
					last = in
				}
			}
			require.NotNil(t, last)
			var got []string
			for _, s := range last.Sources {
				got = append(got, s.Text)
			}
			require.Equal(t, tt.want, strings.Join(got, " ")+last.NoSources)
			if len(got) > 0 {
				require.Equal(t, schemas.SourcesFromRetriever, last.SourcesFrom)
			}
		})
	}
}

// Sources of the span itself and results of tools in its prompt win.
func TestSourcesBeforeTheJoin(t *testing.T) {
	results := `[{"role":"tool","parts":[{"type":"tool_call_response","id":"1","result":{"a":1}}]}]`
	c, _ := decodeBoth(t, traces(
		retriever(2, 1, 2, "joined"),
		chat(3, 1, 3, "own", "gen_ai.retrieval.documents", []any{pairs{"id", "d", "score", 0.5, "content", "mine"}}),
		chat(4, 1, 4, "tool", "gen_ai.input.messages", results),
	), Options{})
	require.Equal(t, schemas.SourcesFromField, c.found[0].SourcesFrom)
	require.Equal(t, []schemas.Source{{ID: "d", Score: 0.5, Text: "mine"}}, c.found[0].Sources)
	require.Empty(t, c.found[1].SourcesFrom, "the messages have them")
	require.Equal(t, `{"a":1}`, c.found[1].Messages[0].Content)
}

// A call that two libraries trace is one interaction, of the innermost span that has its text.
func TestNestedAnswers(t *testing.T) {
	tests := map[string]struct {
		spans []*tracepb.Span
		want  []int
	}{
		"same answer":          {[]*tracepb.Span{chat(2, 1, 2, "x"), chat(1, 0, 1, "x")}, []int{0}},
		"empty outer ones":     {[]*tracepb.Span{chat(3, 2, 3, "x"), chat(2, 1, 2, ""), chat(1, 0, 1, "")}, []int{0}},
		"empty inner one":      {[]*tracepb.Span{chat(2, 1, 2, ""), chat(1, 0, 1, "x")}, []int{1}},
		"all empty":            {[]*tracepb.Span{chat(2, 1, 2, ""), chat(1, 0, 1, "")}, []int{1}},
		"an answer of several": {[]*tracepb.Span{chat(2, 1, 2, "a"), chat(3, 1, 3, "b"), chat(1, 0, 1, "b")}, []int{0, 1}},
		"an answer of its own": {[]*tracepb.Span{chat(2, 1, 2, "a"), chat(1, 0, 1, "b")}, []int{0, 1}},
		"outer one first":      {[]*tracepb.Span{chat(1, 0, 1, "x"), chat(2, 1, 2, "x")}, []int{1}},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			c, _ := decodeBoth(t, traces(tt.spans...), Options{})
			require.ElementsMatch(t, tt.want, c.indexes)
		})
	}
}

// What all answers of a record take together is bounded.
func TestJoinLimit(t *testing.T) {
	spans := []*tracepb.Span{retriever(1, 0, 1, strings.Repeat("long ", 100_000))}
	for i := range 100 {
		s := chat(0, 0, 2, "x")
		s.SpanId = protowire.AppendFixed64(nil, uint64(i)+1000)
		spans = append(spans, s)
	}
	c, _ := decodeBoth(t, traces(spans...), Options{})
	require.Equal(t, schemas.SourcesFromRetriever, c.found[0].SourcesFrom)
	require.Equal(t, JoinLimit, c.found[99].NoSources)
	require.Empty(t, c.found[99].Sources)
}

func TestFilterAndMap(t *testing.T) {
	server := chat(2, 0, 2, "b")
	server.Kind = tracepb.Span_SPAN_KIND_SERVER
	named := chat(3, 0, 3, "c", "team", "red", "app.task", "qa")
	named.Name = "answer"
	m := traces(chat(1, 0, 1, "a"), server, named)
	tests := map[string]struct {
		where map[string][]string
		want  []int
	}{
		"kind":                {map[string][]string{"/kind": {"SERVER"}}, []int{1}},
		"name":                {map[string][]string{"/name": {"answer", "reply"}}, []int{2}},
		"attribute":           {map[string][]string{"/attributes/team": {"red"}}, []int{2}},
		"no attribute":        {map[string][]string{"/attributes/team": {""}}, []int{0, 1}},
		"resource":            {map[string][]string{"/resource/attributes/deployment": {"test"}}, []int{0, 1, 2}},
		"every one must hold": {map[string][]string{"/kind": {"client"}, "/name": {"answer"}}, []int{2}},
		"none":                {map[string][]string{"/name": {"other"}}, nil},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			c, counts := decodeBoth(t, m, Options{Where: tt.where})
			require.Equal(t, tt.want, c.indexes)
			require.Equal(t, 3-len(tt.want), counts[Filtered])
		})
	}
	c, _ := decodeBoth(t, m, Options{Map: map[string]string{
		"operation": "/attributes/app.task", "attributes.env": "/resource/attributes/deployment", "conversation_id": "/name",
	}})
	require.Equal(t, "qa", c.found[2].Operation)
	require.Equal(t, "test", c.found[2].Attributes["env"])
	require.Equal(t, "answer", c.found[2].ConversationID)
	require.Empty(t, c.found[0].Operation)
	for _, o := range []Options{
		{Map: map[string]string{"answer": "/status"}},
		{Map: map[string]string{"reply": "/attributes/a"}},
		{Map: map[string]string{"tenant": "/attributes/a"}},
		{Map: map[string]string{"operation": "name"}},
		{Where: map[string][]string{"/status": {"1"}}},
		{Where: map[string][]string{"/name": nil}},
		{Where: map[string][]string{"/kind": {"clients"}}},
	} {
		_, err := NewDecoder(o)
		require.Error(t, err)
	}
}

// Earlier turns of a trace are messages, with their calls, and a call that is repeated is two.
func TestEarlierTurns(t *testing.T) {
	asked := func(self, parent byte, start uint64, question, answer string) *tracepb.Span {
		return chat(self, parent, start, answer, "gen_ai.input.messages", quoteMessage("user", question))
	}
	tool := func(self, parent byte, start uint64, arguments, result string) *tracepb.Span {
		return span(self, parent, start, "gen_ai.operation.name", "execute_tool", "gen_ai.tool.name", "pay", "gen_ai.tool.call.arguments", arguments, "gen_ai.tool.call.result", result)
	}
	user := func(text string) schemas.Message { return schemas.Message{Role: "user", Content: text} }
	c, _ := decodeBoth(t, traces(
		span(1, 0, 1), tool(2, 1, 2, "{}", "A"), asked(3, 1, 3, "first?", "one"),
		span(4, 0, 4), tool(5, 4, 5, `{"n":1}`, "busy"), tool(6, 4, 6, `{"n":1}`, "paid"), asked(7, 4, 7, "second?", "two"), asked(8, 4, 8, "second?", "x"),
	), Options{})
	require.Equal(t, []schemas.Message{user("first?")}, c.found[0].Messages)
	for _, in := range c.found[1:] {
		require.Equal(t, []schemas.Message{user("first?"), {Role: "tool", Content: "A"}, user("second?")}, in.Messages)
		require.Equal(t, []string{"A", "busy", "paid"}, []string{in.Calls[0].Result, in.Calls[1].Result, in.Calls[2].Result})
	}
}
