package recordshape

import (
	"strconv"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"confab/schemas"
	"confab/schemas/json"
)

// Every preset is a map that can be read.
func TestPresets(t *testing.T) {
	require.Equal(t, []string{"langchain", "langfuse", "litellm", "openai", "openinference", "ragas"}, PresetNames())
	for _, name := range PresetNames() {
		t.Run(name, func(t *testing.T) {
			p, err := FindPreset(name)
			require.NoError(t, err)
			require.NotEmpty(t, p.Description)
			_, err = json.NewMapping(p.Map)
			require.NoError(t, err)
			_, err = json.NewFilter(p.Where)
			require.NoError(t, err)
		})
	}
}

func TestUnknownPreset(t *testing.T) {
	for _, name := range []string{"openia", "", "../presets", "openai.yaml"} {
		_, err := FindPreset(name)
		require.ErrorContains(t, err, "known are langchain, langfuse, litellm, ")
	}
}

// Shapes without a recorded sample: files of other exports of the same tools.
func TestPresetsReadExports(t *testing.T) {
	const completion = `{"id":"c","created":1795255201,"model":"m","choices":[{"message":{"content":"Yes."},"finish_reason":"stop"}]}`
	question := []schemas.Message{{Role: "user", Content: "q"}}
	sources := []schemas.Source{{ID: "d", Text: "s"}}
	for name, c := range map[string]struct {
		preset, record string
		messages       []schemas.Message
		sources        []schemas.Source
	}{
		"result of a batch":        {"openai", `{"id":"b","custom_id":"1","response":{"status_code":200,"body":` + completion + `},"error":null}`, nil, nil},
		"LiteLLM's table of calls": {"litellm", `{"request_id":"c","call_type":"acompletion","status":"success","endTime":"2026-11-21T10:00:00Z","messages":"[{\"role\":\"user\",\"content\":\"q\"}]","response":` + strconv.Quote(completion) + `}`, question, nil},
		"Phoenix's data frame":     {"openinference", `{"span_kind":"LLM","status_code":"OK","end_time":1795255201000,"context.span_id":"c","attributes.llm.input_messages":[{"message.role":"user","message.content":"q"}],"attributes.llm.output_messages":[{"message.content":"Yes."}],"attributes.retrieval.documents":[{"document.id":"d","document.content":"s"}]}`, question, sources},
		"Phoenix's nested frame":   {"openinference", `{"span_kind":"LLM","status_code":"UNSET","end_time":1795255201000,"context.span_id":"c","attributes.llm.input_messages":[{"message":{"role":"user","content":"q"}}],"attributes.llm.output_messages":[{"message":{"content":"Yes."}}],"attributes.retrieval.documents":[{"document":{"id":"d","content":"s"}}]}`, question, sources},
		"LangSmith's times in UTC": {"langchain", `{"id":"c","run_type":"llm","end_time":"2026-11-21T10:00:00.5","inputs":{"prompts":["q"]},"outputs":{"generations":[[{"text":"Yes."}]]}}`, question, nil},
		"Langfuse's page, no end":  {"langfuse", `{"id":"c","traceId":"t","type":"GENERATION","startTime":"2026-11-21T10:00:00Z","input":[{"role":"user","content":"q"}],"output":"Yes."}`, question, nil},
	} {
		t.Run(name, func(t *testing.T) {
			p, err := FindPreset(c.preset)
			require.NoError(t, err)
			m, err := json.NewMapping(p.Map)
			require.NoError(t, err)
			if p.TimeZone != "" {
				m = m.WithLimits(json.Options{Zone: time.UTC})
			}
			filter, err := json.NewFilter(p.Where)
			require.NoError(t, err)
			require.True(t, filter.Match([]byte(c.record)))
			var in schemas.Interaction
			require.NoError(t, m.Decode([]byte(c.record), &in))
			require.Equal(t, "Yes.", in.Answer)
			require.Equal(t, "c", in.ID)
			require.Equal(t, c.messages, in.Messages)
			require.Equal(t, c.sources, in.Sources)
			require.Equal(t, 2026, in.OccurredAt.Year())
			require.Empty(t, in.Malformed)
		})
	}
}
