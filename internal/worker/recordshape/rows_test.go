package recordshape

import (
	"bytes"
	stdjson "encoding/json"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"confab/schemas"
	"confab/schemas/json"
)

const goldenRecords = "../../../examples/shapes"

// Every preset can be used, with entries of its own, too.
func TestPresets(t *testing.T) {
	_, err := table()
	require.NoError(t, err)
	for _, name := range append(PresetNames(), "") {
		_, err := NewDecoder(Options{Preset: name}, json.Options{})
		require.NoError(t, err)
	}
	for _, name := range []string{"openai", "azure", "anthropic", "bedrock", "gemini", "cohere", "ollama", "langchain", "langfuse", "litellm", "openinference", "ragas"} {
		require.Contains(t, PresetNames(), name)
	}
}

func TestUnknownPreset(t *testing.T) {
	require.Contains(t, UnknownPreset("langsmith", PresetNames()), "; did you mean langchain?")
	require.Contains(t, UnknownPreset("Jaeger", nil), "; did you mean tracing?")
	require.Contains(t, UnknownPreset("openia", nil), "; did you mean openai?")
	for _, name := range []string{"openia", "../shapes", "openai.yaml"} {
		_, err := Shapes(Options{Preset: name})
		require.ErrorContains(t, err, "known are anthropic, api, ")
	}
}

// Each row has a golden record, which it recognises and no other row of its rank or above, and which it reads as its golden says.
func TestGoldens(t *testing.T) {
	shapes, err := Shapes(Options{})
	require.NoError(t, err)
	for _, r := range Rows() {
		t.Run(r.Name, func(t *testing.T) {
			records, err := os.ReadFile(filepath.Join(goldenRecords, r.Name+".jsonl"))
			require.NoError(t, err, "a row without a golden record")
			for record := range bytes.Lines(records) {
				row, ok := Recognise(record)
				require.True(t, ok)
				require.Equal(t, r.Name, row.Name)
				found := shapes.Matches(record)
				if r.Search { // only where no other row has the record
					require.Empty(t, found)
					continue
				}
				at := slices.IndexFunc(found, func(m json.Match) bool { return m.Name == r.Name })
				require.GreaterOrEqual(t, at, 0, "not recognised: %s", record)
				require.Zero(t, at, "rows of the rank %d or above: %v", found[at].Rank, found)
				require.True(t, len(found) == 1 || found[1].Rank < found[0].Rank, "two rows of one rank: %v", found)
			}
		})
	}
	files, err := filepath.Glob(filepath.Join(goldenRecords, "*.jsonl"))
	require.NoError(t, err)
	for _, file := range files {
		base := strings.TrimSuffix(filepath.Base(file), ".jsonl")
		t.Run(base, func(t *testing.T) {
			_, ok := FindRow(base)
			require.True(t, ok || base == "envelopes" || base == "langfuse.joined", "a golden without a row")
			compareGolden(t, "shapes."+base, readSample(t, "", file))
		})
	}
}

// A preset reads the records of its rows, and entries of an input outweigh those of the rows.
func TestPresetWithEntries(t *testing.T) {
	record := []byte(`{"id":"o","trace_id":"t","type":"GENERATION","input":"q","output":"a","docs":["s"],"session_id":"c","name":"n"}`)
	d, err := NewDecoder(Options{Preset: "langfuse", Map: map[string]string{"sources": "/docs", "conversation_id": "none", "operation": "/type"}}, json.Options{})
	require.NoError(t, err)
	var in schemas.Interaction
	require.NoError(t, d.Decode(record, &in))
	require.Equal(t, []string{"a", "o", "GENERATION", "", "langfuse.observation"}, []string{in.Answer, in.ID, in.Operation, in.ConversationID, in.Shape})
	require.Equal(t, []schemas.Source{{Text: "s"}}, in.Sources)
	d, err = NewDecoder(Options{Preset: "litellm"}, json.Options{})
	require.NoError(t, err)
	require.NoError(t, d.Decode(record, &in))
	require.Equal(t, "api.input_output", in.Shape, "the general rows belong to every preset")
	d, err = NewDecoder(Options{Preset: "langfuse", Where: map[string][]string{"/name": {"other"}}}, json.Options{})
	require.NoError(t, err)
	require.ErrorIs(t, d.Decode(record, &in), json.ErrSkipped)
}

// Our own records are read as before.
func TestOwnRecordsHaveNoShape(t *testing.T) {
	for _, record := range []string{
		`{"interaction_id":"i","answer":"a","sources":["s"],"messages":[{"role":"user","content":"q"}]}`,
		`{"question":"q","contexts":["s"],"response":"a"}`,
		`{"answer":"a","request":{"messages":[]},"response":{"choices":[]},"payload":{"answer":"b"}}`,
		`{"prompt":"q","response":"{\"days\":90}"}`,
	} {
		var row schemas.Labelled
		require.NoError(t, DecodeLabelled([]byte(record), &row), record)
		require.Empty(t, row.Interaction.Shape, record)
		_, ok := Recognise([]byte(record))
		require.False(t, ok, record)
	}
}

// A response whose form is unknown is not measured as an answer, and the error says which shape it has.
func TestUnknownResponses(t *testing.T) {
	for record, shape := range map[string]string{
		`{"request":{"a":1},"response":{"b":2}}`:                                                                         "api.pair",
		`{"id":"1","provider":"p","success":true,"request":"{}","response":"{\"latency\":[1]}"}`:                         "gateways.cloudflare",
		`{"id":"1","call_type":"completion","startTime":1,"status":"success","messages":"q","response":{"latency":[1]}}`: "litellm.call",
	} {
		var row schemas.Labelled
		require.ErrorContains(t, DecodeLabelled([]byte(record), &row), "unmapped in answer", record)
		require.Equal(t, shape, row.Interaction.Shape)
	}
}

// A time of a file without a zone is one of UTC; its field stays malformed.
func TestTimesWithoutZoneInFiles(t *testing.T) {
	for written, want := range map[string]string{"2026-01-02T03:04:05": "2026-01-02T03:04:05Z", "2026-01-02": "2026-01-02T00:00:00Z", "02/01/2026": "0001-01-01T00:00:00Z", "9999-12-31T23:59:59-01:00": "0001-01-01T00:00:00Z"} {
		var row schemas.Labelled
		require.NoError(t, DecodeLabelled([]byte(`{"answer":"a","occurred_at":"`+written+`"}`), &row))
		require.Equal(t, want, row.Interaction.OccurredAt.Format(time.RFC3339))
		require.Equal(t, []string{"occurred_at"}, row.Interaction.Malformed)
	}
}

// Our names, and common ones for them, are read in any case where the record has them once.
func TestOwnNamesInAnyCase(t *testing.T) {
	for _, names := range []string{
		"ID,Question,Answer,Context,timestamp,model", "id,Question,Answer,Context,TIMESTAMP,MODEL", "Interaction ID,Prompt,Response,Context,Created At,Model",
		"interaction_id,Query,Response,Contexts,created_at,model", "INTERACTION_ID,QUESTION,ANSWER,CONTEXT,OCCURRED_AT,MODEL", "Id,User_Input,Response,Retrieved_Contexts,Timestamp,Model",
		"InteractionID,question,Answer,sources,Date,Model", "interactionId,USER INPUT,RESPONSE,RETRIEVED CONTEXTS,createdAt,model",
	} {
		record := map[string]string{}
		for i, name := range strings.Split(names, ",") {
			record[name] = []string{"i", "How long?", "Ten days.", "It takes ten days.", "2026-01-02T03:04:05Z", "m"}[i]
		}
		line, err := stdjson.Marshal(record)
		require.NoError(t, err)
		var row schemas.Labelled
		require.NoError(t, DecodeLabelled(line, &row), names)
		in := &row.Interaction
		require.Equal(t, []string{"i", "Ten days.", "m", "2026-01-02T03:04:05Z"}, []string{in.ID, in.Answer, in.Model, in.OccurredAt.Format(time.RFC3339)}, names)
		require.Equal(t, []schemas.Message{{Role: "user", Content: "How long?"}}, in.Messages, names)
		require.Equal(t, []schemas.Source{{Text: "It takes ten days."}}, in.Sources, names)
	}
	for record, want := range map[string]string{
		`{"Answer":"a","ANSWER":"b"}`:         "a member of this name in another case",
		`{"Answer":"a","Id":"1","ID":"2"}`:    "a member of this name in another case",
		`{"Remark":"a","Model":"m"}`:          "case_variant in model",
		`{"Status":"ok","Date":"2026-01-02"}`: "missing_answer",
	} {
		var row schemas.Labelled
		require.ErrorContains(t, DecodeLabelled([]byte(record), &row), want, record)
	}
	var row schemas.Labelled
	require.NoError(t, DecodeLabelled([]byte(`{"Answer":"a","Date":"2026-01-02","Time":"03:04"}`), &row))
	require.Equal(t, "2026-01-02T03:04:00Z", row.Interaction.OccurredAt.Format(time.RFC3339))
}
