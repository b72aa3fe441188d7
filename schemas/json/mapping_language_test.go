package json

import (
	"runtime"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/stretchr/testify/require"

	"confab/schemas"
	"confab/schemas/json/scan"
)

func TestMappingLanguage(t *testing.T) {
	type entries = map[string]string
	message := func(role, content string) schemas.Message { return schemas.Message{Role: role, Content: content} }
	tests := []struct {
		name    string
		entries entries
		raw     string
		want    func(*schemas.Interaction)
	}{
		{
			"JSON in a text",
			entries{"answer": "/output/content", "messages": "json /input", "model": "/model"},
			`{"output":"{\"role\":\"assistant\",\"content\":\"y\\u0065s\"}","input":"[{\"role\":\"user\",\"content\":\"q\"}]","model":"m"}`,
			func(in *schemas.Interaction) {
				in.Answer, in.Model, in.Messages = "yes", "m", []schemas.Message{message("user", "q")}
			},
		},
		{
			"JSON in a text in a text",
			entries{"answer": "/a/b/c"},
			`{"a":"{\"b\":\"{\\\"c\\\":\\\"deep\\\"}\"}"}`,
			func(in *schemas.Interaction) { in.Answer = "deep" },
		},
		{
			"a JSON text in a text",
			entries{"answer": "json /a"},
			`{"a":"\"quoted\""}`,
			func(in *schemas.Interaction) { in.Answer = "quoted" },
		},
		{
			"a text that is not JSON is absent",
			entries{"answer": "/output/content | /output", "sources": "/docs/list"},
			`{"output":"a plain answer","docs":"none"}`,
			func(in *schemas.Interaction) { in.Answer = "a plain answer" },
		},
		{
			"request and response",
			entries{"request": "/in", "response": "/out", "interaction_id": "/id"},
			`{"id":"i","in":"{\"messages\":[{\"role\":\"user\",\"content\":\"q\"}]}","out":{"id":"c","choices":[{"message":{"content":"yes"}}]}}`,
			func(in *schemas.Interaction) {
				in.ID, in.Answer, in.Messages = "i", "yes", []schemas.Message{message("user", "q")}
			},
		},
		{
			"a call of a tool is an empty answer",
			entries{"response": "/out"},
			`{"out":{"choices":[{"message":{"content":null,"tool_calls":[{"id":"1","type":"function","function":{"name":"f","arguments":"{}"}}]}}]}}`,
			func(in *schemas.Interaction) {
				in.Answer, in.Calls = "", []schemas.ToolCall{{ID: "1", Name: "f", Arguments: "{}"}}
			},
		},
		{
			"explicit keys outweigh what is read as a whole",
			entries{"answer": "/text", "messages": "/q", "response": "/out", "request": "/in", "logprobs": "none", "attributes.x": "/x"},
			`{"text":"mine","q":"asked","in":[{"role":"user","content":"q"}],"out":{"choices":[{"message":{"content":"yes"},"logprobs":{"content":[{"token":"yes","logprob":-1,"top_logprobs":[]}]}}]}}`,
			func(in *schemas.Interaction) {
				in.Answer, in.Messages = "mine", []schemas.Message{message("user", "asked")}
			},
		},
		{
			"the next response where the first is of no known form",
			entries{"response": "/a | /b"},
			`{"a":{"latency":1},"b":"text"}`,
			func(in *schemas.Interaction) { in.Answer = "text" },
		},
		{
			"a conversation that ends with the answer",
			entries{"request": "whole", "response": "whole"},
			`{"messages":[{"role":"user","content":"q"},{"role":"assistant","content":"yes"}]}`,
			func(in *schemas.Interaction) {
				in.Answer, in.Messages = "yes", []schemas.Message{message("user", "q")}
			},
		},
		{
			"one of our records in a member",
			entries{"interaction": "/after/doc", "model": "/model"},
			`{"model":"m","after":"{\"doc\":{\"interaction_id\":\"i\",\"question\":\"q\",\"answer\":\"yes\",\"model\":\"n\"}}"}`,
			func(in *schemas.Interaction) {
				in.ID, in.Answer, in.Model, in.Messages = "i", "yes", "m", []schemas.Message{message("user", "q")}
			},
		},
		{
			"an answer within an object of our names",
			entries{"interaction": "whole", "answer": "/answer/text"},
			`{"interaction_id":"i","answer":{"text":"yes"},"sources":["s"]}`,
			func(in *schemas.Interaction) {
				in.ID, in.Answer, in.Sources = "i", "yes", []schemas.Source{{Text: "s"}}
			},
		},
		{
			"joined places",
			entries{"answer": "/a", "messages": "role=system /system + /none + /messages", "sources": "/one + text=t /two | /three"},
			`{"a":"x","system":"s","messages":[{"role":"user","content":"q"}],"one":"p","two":[{"t":"r"}],"three":"no"}`,
			func(in *schemas.Interaction) {
				in.Answer, in.Messages = "x", []schemas.Message{message("system", "s"), message("user", "q")}
				in.Sources = []schemas.Source{{Text: "p"}, {Text: "r"}}
			},
		},
		{
			"a malformed place costs itself alone",
			entries{"answer": "/a", "messages": "/m + /n"},
			`{"a":"x","m":"q","n":5}`,
			func(in *schemas.Interaction) {
				in.Answer, in.Messages = "x", []schemas.Message{message("user", "q")}
			},
		},
		{
			"joined requests",
			entries{"answer": "/a", "request": "/instructions + /input"},
			`{"a":"x","instructions":[{"role":"system","content":"s"}],"input":"q"}`,
			func(in *schemas.Interaction) {
				in.Answer, in.Messages = "x", []schemas.Message{message("system", "s"), message("user", "q")}
			},
		},
		{
			"items of a list by their place and by a member",
			entries{"answer": "/items/last:type=message/text", "model": "/items/first/model", "service": "/items/last/n", "operation": "/items/first:n=2/op", "tags": "/items/first:n=9/x"},
			`{"items":[{"type":"reasoning","model":"m"},{"type":"message","text":"early"},{"n":2,"op":"o"},{"type":"message","text":"late"},{"n":7}]}`,
			func(in *schemas.Interaction) {
				in.Answer, in.Model, in.Service, in.Operation = "late", "m", "7", "o"
			},
		},
		{
			"in an object these words are names",
			entries{"answer": "/last", "model": "/first:a=b", "service": "/o/first"},
			`{"last":"x","first:a=b":"m","o":{"first":"s"}}`,
			func(in *schemas.Interaction) { in.Answer, in.Model, in.Service = "x", "m", "s" },
		},
		{
			"ids in the form of the OpenTelemetry SDK",
			entries{"answer": "/a", "trace_id": "/t", "span_id": "/s", "interaction_id": "/s"},
			`{"a":"x","t":"0x0af7651916cd43dd8448eb211c80319c","s":"0xb7ad6b7169203331"}`,
			func(in *schemas.Interaction) {
				in.Answer, in.ID = "x", "0xb7ad6b7169203331"
				in.TraceID, in.SpanID = "0af7651916cd43dd8448eb211c80319c", "b7ad6b7169203331"
			},
		},
		{
			"a number of a unit in a text",
			entries{"answer": "/a", "occurred_at": "/t"},
			`{"a":"x","t":"1795255201500000000"}`,
			func(in *schemas.Interaction) {
				in.Answer, in.OccurredAt = "x", time.Date(2026, 11, 21, 10, 0, 1, 5e8, time.UTC)
			},
		},
		{
			"several names of a member",
			entries{"answer": "/a", "sources": "text=text,/kwargs/page_content id=/kwargs/id,id /docs"},
			`{"a":"x","docs":[{"text":"one","id":"1"},{"kwargs":{"page_content":"two","id":"2"}}]}`,
			func(in *schemas.Interaction) {
				in.Answer, in.Sources = "x", []schemas.Source{{ID: "1", Text: "one"}, {ID: "2", Text: "two"}}
			},
		},
		{
			"broken JSON costs the fields in it",
			entries{"answer": "/a", "sources": "/docs/list", "model": "/docs/m", "service": "/s"},
			`{"docs":"{\"m\":\"x\",\"list\":[","a":"x","s":"s"}`,
			func(in *schemas.Interaction) {
				in.Answer, in.Service, in.Malformed = "x", "s", []string{"model", "sources"}
			},
		},
		{
			"JSON in a text or as it is",
			entries{"answer": "/a", "model": "/m/x", "service": "/t/x", "sources": "json /s"},
			`{"a":"x","m":{"x":"y"},"t":" {\"x\":\"z\"}","s":["p"]}`,
			func(in *schemas.Interaction) {
				in.Answer, in.Model, in.Service, in.Sources = "x", "y", "z", []schemas.Source{{Text: "p"}}
			},
		},
		{
			"the first candidate that is present",
			entries{"answer": "/b | /a | /c", "model": "/n | /m"},
			`{"a":"second","m":"m","c":"third","b":null}`,
			func(in *schemas.Interaction) { in.Answer, in.Model = "second", "m" },
		},
		{
			"the better candidate comes later",
			entries{"answer": "/message/content | /message | /text", "sources": "text=t /b | /a"},
			`{"text":"t","message":{"content":"first"},"a":["a"],"b":[{"t":"b"}]}`,
			func(in *schemas.Interaction) { in.Answer, in.Sources = "first", []schemas.Source{{Text: "b"}} },
		},
		{
			"a malformed candidate is left out",
			entries{"answer": "/message | /text", "sources": "/a | /b", "tags": "/t | /u"},
			`{"text":"t","message":{},"a":[1],"b":["b"],"t":5,"u":{}}`,
			func(in *schemas.Interaction) {
				in.Answer, in.Sources, in.Malformed = "t", []schemas.Source{{Text: "b"}}, []string{"tags"}
			},
		},
		{
			"words of each candidate",
			entries{"answer": "/a", "occurred_at": "/s | /ms"},
			`{"a":"x","ms":1795255200250}`,
			func(in *schemas.Interaction) { in.Answer, in.OccurredAt = "x", time.UnixMilli(1795255200250).UTC() },
		},
		{
			"null is the last resort",
			entries{"answer": "/a | /b"},
			`{"a":null,"b":"text"}`,
			func(in *schemas.Interaction) { in.Answer = "text" },
		},
		{
			"only null",
			entries{"answer": "/a | /b"},
			`{"a":null}`,
			func(in *schemas.Interaction) { in.Answer = "" },
		},
		{
			"nested names of sources",
			entries{"answer": "/a", "sources": "id=/metadata/source text=/page_content score=/metadata/score /docs"},
			`{"a":"x","docs":[{"id":"other","page_content":"p","metadata":{"source":"s.pdf","score":0.5,"page":3}},{"metadata":null,"page_content":"q"},"r"]}`,
			func(in *schemas.Interaction) {
				in.Answer = "x"
				in.Sources = []schemas.Source{{ID: "s.pdf", Text: "p", Score: 0.5}, {Text: "q"}, {Text: "r"}}
			},
		},
		{
			"a text or an object",
			entries{"answer": "/a", "sources": "text=/document id=/document/id /docs"},
			`{"a":"x","docs":[{"document":"plain"},{"document":{"id":7}}]}`,
			func(in *schemas.Interaction) {
				in.Answer, in.Sources = "x", []schemas.Source{{Text: "plain"}, {ID: "7"}}
			},
		},
		{
			"names of messages",
			entries{"answer": "/a", "messages": "role=/type content=/data/content /chat"},
			`{"a":"x","chat":[{"type":"human","data":{"content":"q"}},{"type":"ai","data":{"content":[{"text":"p"},{"text":"r"}]}},{"type":"tool"}]}`,
			func(in *schemas.Interaction) {
				in.Answer = "x"
				in.Messages = []schemas.Message{message("user", "q"), message("assistant", "p\nr"), message("tool", "")}
			},
		},
		{
			"a blank in a name",
			entries{"answer": "/the~2answer"},
			`{"the answer":"x"}`,
			func(in *schemas.Interaction) { in.Answer = "x" },
		},
		{
			"flattened lists",
			entries{
				"answer":  "/attributes/output.value",
				"sources": "id=/document/id text=/document/content score=/document/score /attributes/retrieval.documents",
				"request": "/attributes/llm.input_messages",
			},
			`{"attributes":{"retrieval.documents.10.document.content":"ten","output.value":"x","retrieval.documents.2.document.content":"t\u0077o",
				"retrieval.documents.2.document.id":7,"retrieval.documents.2.document.score":0.5,"retrieval.documents.2.document.metadata":"{}",
				"retrieval.documents.x.document.content":"no","retrieval.documents.2":"no","llm.input_messages.1.message.content":null,
				"llm.input_messages.1.message.role":"tool","llm.input_messages.0.message.contents.1.message_content.text":"b",
				"llm.input_messages.0.message.contents.0.message_content.text":"a","llm.input_messages.0.message.role":"user"}}`,
			func(in *schemas.Interaction) {
				in.Answer = "x"
				in.Sources = []schemas.Source{{ID: "7", Text: "two", Score: 0.5}, {Text: "ten"}}
				in.Messages = []schemas.Message{message("user", "a\nb"), message("tool", "")}
			},
		},
		{
			"a flattened list or another",
			entries{"answer": "/a", "sources": "/b/docs | /docs"},
			`{"a":"x","b":{"docs.x":1},"docs":["d"]}`,
			func(in *schemas.Interaction) { in.Answer, in.Sources = "x", []schemas.Source{{Text: "d"}} },
		},
	}
	var in schemas.Interaction // one for all: a record leaves no trace in the next
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			m := newMapping(t, tt.entries)
			for range 2 {
				require.NoError(t, m.Decode([]byte(tt.raw), &in))
				require.Empty(t, cmp.Diff(decodeText(tt.want), in, requireEqual()))
			}
		})
	}
}

func TestMappingLanguageRefuses(t *testing.T) {
	deep := strings.Repeat("[", 20) + strings.Repeat("]", 20)
	tests := []struct {
		name, answer, raw, reason string
	}{
		{"a required text that is not JSON", "/a/b", `{"a":"text"}`, scan.ReasonUnmapped},
		{"a required text of broken JSON", "/a/b", `{"a":"{\"b\":\"x\""}`, scan.ReasonUnmapped},
		{"duplicates within the text", "/a/b", `{"a":"{\"b\":\"x\",\"b\":\"y\"}"}`, scan.ReasonUnmapped},
		{"no candidate", "/a | /b", `{"c":"x"}`, scan.ReasonUnmapped},
		{"only malformed candidates", "/a | /b", `{"a":{},"b":5}`, scan.ReasonWrongType},
		{"syntax after a kept candidate", "/a | /b", `{"a":"x","b":"y"`, scan.ReasonSyntax},
		{"too deep together", "/a/b", `{"a":"{\"b\":\"x\",\"c\":` + strings.Repeat(deep, 1) + strings.Repeat("[", 40) + `}"}`, scan.ReasonUnmapped},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			var in schemas.Interaction
			require.Equal(t, tt.reason, errorReason(t, newMapping(t, map[string]string{"answer": tt.answer}).Decode([]byte(tt.raw), &in)))
		})
	}
}

func TestMappingLanguageNamesFaults(t *testing.T) {
	tests := []struct{ name, field, entry, want string }{
		{"a comma between members", "sources", "id=name,text=body /hits", `"id=name,text=body": a blank separates members, a comma only names of one: write id=name text=body`},
		{"a comma and a blank", "sources", "id=name, text=body /hits", `write id=name`},
		{"a path in a name", "sources", "text=page_content id=metadata/source /metadata/documents", `"id=metadata/source": write id=/metadata/source`},
		{"a blank in a pointer", "answer", "/choices/0/ message", `a blank ends the pointer /choices/0/, and "message" follows`},
		{"two pointers", "answer", "/a /b", "separate candidates by a | between blanks"},
		{"a word after the pointer", "answer", "/a required", "write words before the pointer"},
		{"JSONPath", "answer", "$.choices[0].message.content", `"$.choices[0].message.content" is not a JSON Pointer: write /choices/0/message/content`},
		{"JSONPath with quotes", "answer", `$['choices'][0]["message"]`, "write /choices/0/message"},
		{"a path with dots", "answer", "required choices.0.message.content", `"choices.0.message.content" is not a JSON Pointer: write /choices/0/message/content`},
		{"a path of jq", "answer", ".choices[0].message", "write /choices/0/message"},
		{"no slash in front", "model", "response/model", "write /response/model"},
		{"JSONPath of a list", "sources", "$.docs[*].text", "write /docs"},
		{"JSONPath of a whole list", "sources", "$.docs[*]", "write /docs"},
		{"an index in brackets", "answer", "/choices[0]/message/content", "/choices[0]/message/content: an index is a name of its own: write /choices/0/message/content"},
		{"candidates without blanks", "answer", "/a|/b", "write blanks around the | between candidates: /a | /b"},
		{"an empty candidate", "answer", "/a |", "expected a JSON Pointer"},
		{"nothing", "answer", "", "expected a JSON Pointer"},
		{"too many candidates", "answer", strings.TrimSuffix(strings.Repeat("/a | ", 13), " | "), "keep at most 12"},
		{"json without a pointer", "answer", "json", "write json /output"},
		{"json twice", "answer", "json json /x", "one word too many"},
		{"a prefix elsewhere", "tags", "prefix=x /a", "has no effect"},
		{"a name twice", "sources", "text=a text=b /s", "each once with names separated by commas"},
		{"the same name in a list of names", "sources", "text=a,a /s", "text= has a name that is taken"},
		{"an empty name", "sources", "text=a, /s", "write text=a"},
		{"the same name", "messages", "role=x content=x /s", "content= has a name that is taken"},
		{"a join of what is one value", "answer", "/a + /b", "+ joins places of messages, sources, request, interaction_id and occurred_at alone"},
		{"nothing to join", "messages", "/a +", "expected a JSON Pointer"},
		{"something behind the whole", "request", "whole /a", "whole and /a are two pointers"},
		{"role of a source", "sources", "role=x /s", "has no effect"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			entries := map[string]string{"answer": "/a"}
			entries[tt.field] = tt.entry
			_, err := NewMapping(entries)
			var fault *MappingError
			require.ErrorAs(t, err, &fault)
			require.Equal(t, tt.field, fault.Field)
			require.Contains(t, fault.Message, tt.want)
		})
	}
}

// Texts and lists that a map enters cost memory in proportion to the record, whatever it holds.
func TestMappingLanguageIsBounded(t *testing.T) {
	m := newMapping(t, map[string]string{
		"answer": "/a", "sources": "text=t /l/last:key=d/d", "model": "/j/j/j/j/m",
	})
	inner := strings.Repeat("x", 1<<16)
	for range 4 {
		inner = `{"j":` + strconv.Quote(inner) + `}`
	}
	bombs := map[string][]byte{
		"items":        repeatToSize(`{"a":"a","l":[`, `{"key":"d"}`, `]}`),
		"flat indexes": repeatToSize(`{"a":"a","l":[{"key":"d"`, `,"d.1.t":""`, `}]}`),
		"texts":        []byte(`{"a":"a",` + inner[1:]),
		"JSON text":    []byte(`{"a":"a","j":"` + strings.Repeat("[", DefaultMaxBytes-40) + `"}`),
	}
	for name, raw := range bombs {
		t.Run(name, func(t *testing.T) {
			require.LessOrEqual(t, len(raw), DefaultMaxBytes)
			var before, after runtime.MemStats
			var in schemas.Interaction
			runtime.ReadMemStats(&before)
			err := m.Decode(raw, &in)
			runtime.ReadMemStats(&after)
			allocated := after.TotalAlloc - before.TotalAlloc
			require.Less(t, allocated, uint64(32*DefaultMaxBytes))
			t.Logf("%d KiB allocated, %v, malformed %v", allocated/1024, err, in.Malformed)
		})
	}
}

func TestTimeZone(t *testing.T) {
	rome, err := time.LoadLocation("Europe/Rome")
	require.NoError(t, err)
	tests := []struct{ value, want string }{
		{`"2026-11-21T10:00:00"`, "2026-11-21T09:00:00Z"},
		{`"2026-07-21 10:00:00.25"`, "2026-07-21T08:00:00.25Z"},
		{`"2026-11-21T10:00:00Z"`, "2026-11-21T10:00:00Z"},
		{`"2026-11-21T10:00:00+05:00"`, "2026-11-21T05:00:00Z"},
		{`"2026-11-21 10:00"`, "2026-11-21T09:00:00Z"},
		{`"2026-11-21T10:00+05:00"`, "2026-11-21T05:00:00Z"},
		{`"2026-11-21T10"`, ""},
		{`"2026-02-30T10:00:00"`, ""},
		{`"2026-11-21T10:00:00 CET"`, ""},
	}
	o := Options{Zone: rome}
	m := newMapping(t, map[string]string{"answer": "/answer", "occurred_at": "/occurred_at"}).WithLimits(o)
	for _, tt := range tests {
		t.Run(tt.value, func(t *testing.T) {
			for _, decode := range []func([]byte, *schemas.Interaction) error{NewDecoder(o).Decode, m.Decode} {
				var in schemas.Interaction
				require.NoError(t, decode([]byte(`{"answer":"a","occurred_at":`+tt.value+`}`), &in))
				if tt.want == "" {
					require.Equal(t, []string{"occurred_at"}, in.Malformed)
				} else {
					require.Equal(t, tt.want, in.OccurredAt.Format(time.RFC3339Nano))
				}
			}
		})
	}
}

func TestFilter(t *testing.T) {
	f, err := NewFilter(map[string][]string{"/type": {"GENERATION", "generation"}, "/attributes/first:key=kind/value/stringValue": {"LLM"}, "/level": {"1", "true"}})
	require.NoError(t, err)
	kind := `"attributes":[{"key":"kind","value":{"stringValue":"LLM"}}]`
	tests := []struct {
		name, raw string
		want      bool
	}{
		{"all hold", `{"type":"GENERATION","level":1,` + kind + `}`, true},
		{"another value of each", `{"type":"generation","level":true,` + kind + `}`, true},
		{"one fails", `{"type":"SPAN","level":1,` + kind + `}`, false},
		{"one is absent", `{"type":"GENERATION",` + kind + `}`, false},
		{"null", `{"type":null,"level":1,` + kind + `}`, false},
		{"an object", `{"type":{},"level":1,` + kind + `}`, false},
		{"nothing", `{}`, false},
		{"a fault after it fails", `{"type":"SPAN","x":`, true},
		{"a fault before it is read", `{"x":[`, true},
		{"not JSON", `hello`, true},
		{"too large", `{"type":"SPAN","x":"` + strings.Repeat("x", DefaultMaxBytes) + `"}`, true},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) { require.Equal(t, tt.want, f.Match([]byte(tt.raw))) })
	}
}

// Of the candidates of a condition any may hold, and the empty value stands for none.
func TestFilterCandidates(t *testing.T) {
	f, err := NewFilter(map[string][]string{"/a | /kv/last:key=a/value/stringValue": {"LLM"}, "/error": {""}, "/level": {"", "1"}})
	require.NoError(t, err)
	tests := []struct {
		name, raw string
		want      bool
	}{
		{"the first", `{"a":"LLM"}`, true},
		{"the second", `{"kv":[{"key":"a","value":{"stringValue":"LLM"}}],"error":null,"level":1}`, true},
		{"neither", `{"a":"CHAIN"}`, false},
		{"absent", `{"error":""}`, false},
		{"a value where none may be", `{"a":"LLM","error":"timeout"}`, false},
		{"an object where none may be", `{"a":"LLM","error":{"code":1}}`, false},
		{"another value than those or none", `{"a":"LLM","level":2}`, false},
		{"a fault behind", `{"a":"LLM","x":`, true},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) { require.Equal(t, tt.want, f.Match([]byte(tt.raw))) })
	}
}

func TestNewFilterNamesFaults(t *testing.T) {
	for path, want := range map[string]string{
		"type":           "expected a JSON Pointer, such as /type",
		"/a/ b":          "a blank ends the pointer",
		"":               "expected a JSON Pointer",
		"required /type": "expected a JSON Pointer",
		"$.type":         `"$.type" is not a JSON Pointer: write /type`,
		"span.kind":      "write /span/kind",
	} {
		_, err := NewFilter(map[string][]string{path: {"x"}})
		var fault *MappingError
		require.ErrorAs(t, err, &fault)
		require.Equal(t, path, fault.Field)
		require.Contains(t, fault.Message, want)
	}
	_, err := NewFilter(map[string][]string{"/type": nil})
	require.ErrorContains(t, err, "lists no values")
	many := map[string][]string{}
	for i := range MaxConditions + 1 {
		many["/"+strconv.Itoa(i)] = []string{"x"}
	}
	_, err = NewFilter(many)
	require.ErrorContains(t, err, "keep at most 16")
}
