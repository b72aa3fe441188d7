package produce

import (
	"bytes"
	"errors"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"confab/internal/kafka"
	"confab/internal/kafka/kafkatest"
	"confab/schemas"
	"confab/schemas/json"
)

func TestProduceWritesInteractionsAndReportsTheRest(t *testing.T) {
	cfg := kafkatest.Start(t, map[string]int32{"in": 1})
	producer, err := kafka.NewProducer(cfg)
	require.NoError(t, err)
	defer producer.Close()
	input := strings.Join([]string{
		`{"interaction_id":"a","conversation_id":"talk","answer":"x"}`,
		`{"interaction":{"interaction_id":"b","answer":"y","sources":["s"]},"label":0,"task":"qa"}`,
		`{"interaction_id":"c"}`,
	}, "\n")
	var messages bytes.Buffer
	counted := 0
	res, err := Run(t.Context(), strings.NewReader(input), &messages, Options{
		Producer: producer, Topic: "in", Rate: 10_000, Progress: func(n int) { counted = n },
	})
	require.NoError(t, err)
	require.Equal(t, Result{Lines: 3, Written: 2, Bad: 1}, res)
	require.Equal(t, 2, counted)
	require.Contains(t, messages.String(), "line 3: ")
	got := kafkatest.ReadAll(t, cfg, "in")
	require.Equal(t, "talk", string(got[0].Key))
	require.Equal(t, "b", string(got[1].Key))
	var in schemas.Interaction
	require.NoError(t, json.NewDecoder(json.Options{}).Decode(got[1].Value, &in))
	require.Equal(t, "s", in.Sources[0].Text)
}

func TestProduceRawWritesWhatItReads(t *testing.T) {
	cfg := kafkatest.Start(t, map[string]int32{"in": 1})
	producer, err := kafka.NewProducer(cfg)
	require.NoError(t, err)
	defer producer.Close()
	_, err = Run(t.Context(), strings.NewReader("no json\n"), &bytes.Buffer{}, Options{Producer: producer, Topic: "in", Raw: true})
	require.NoError(t, err)
	require.Equal(t, "no json", string(kafkatest.ReadAll(t, cfg, "in")[0].Value))
}

// Files of other shapes are named; many lines of one fault are counted.
func TestProduceSaysWhatAFileIs(t *testing.T) {
	cfg := kafkatest.Start(t, map[string]int32{"in": 1})
	producer, err := kafka.NewProducer(cfg)
	require.NoError(t, err)
	defer producer.Close()
	for _, tt := range []struct{ input, fault string }{
		{"", "no interactions in logs"},
		{"[]", "no interactions in logs"},
		{"question,answer\n", "no interactions in logs"},
		{"<html>", "logs: this is an HTML page: "},
	} {
		_, err := Run(t.Context(), strings.NewReader(tt.input), &bytes.Buffer{}, Options{Producer: producer, Topic: "in", Name: "logs"})
		require.ErrorContains(t, err, tt.fault)
	}
	var messages bytes.Buffer
	replies := strings.Repeat(`{"id":"c","reply":"a"}`+"\n", 30)
	reads := func([]byte) bool { return true }
	res, err := Run(t.Context(), strings.NewReader(replies), &messages, Options{Producer: producer, Topic: "in", Reads: reads})
	require.NoError(t, err)
	require.Equal(t, Result{Lines: 30, Bad: 30}, res)
	require.Equal(t, 3, strings.Count(messages.String(), "line "))
	require.True(t, strings.HasPrefix(messages.String(), "hint: the input reads such records as they are: write them with --raw\nline 1: "), messages.String())
	require.Contains(t, messages.String(), "… and 27 more lines like this: missing_answer in answer")
	require.Empty(t, kafkatest.ReadAll(t, cfg, "in"))
}

// Messages that are logged one a record become one record an answer, with the messages before it; other records without an answer are
// left out and counted.
func TestProduceJoinsMessages(t *testing.T) {
	cfg := kafkatest.Start(t, map[string]int32{"in": 1})
	producer, err := kafka.NewProducer(cfg)
	require.NoError(t, err)
	defer producer.Close()
	input := `{"thread_id":"t","role":"user","content":"When is it open?"}` + "\n" + `{"thread_id":"t","role":"assistant","content":"At nine."}` + "\n"
	res, err := Run(t.Context(), strings.NewReader(input), &bytes.Buffer{}, Options{Producer: producer, Topic: "in"})
	require.NoError(t, err)
	require.Equal(t, Result{Lines: 2, Written: 1, Skipped: 1}, res)
	got := kafkatest.ReadAll(t, cfg, "in")
	require.Equal(t, "t", string(got[0].Key))
	var in schemas.Interaction
	require.NoError(t, json.NewDecoder(json.Options{}).Decode(got[0].Value, &in))
	require.Equal(t, "At nine.", in.Answer)
	require.Equal(t, []schemas.Message{{Role: "user", Content: "When is it open?"}}, in.Messages)
}

// Spans of a file become whole answers, one record each.
func TestProduceReadsSpans(t *testing.T) {
	cfg := kafkatest.Start(t, map[string]int32{"in": 1})
	producer, err := kafka.NewProducer(cfg)
	require.NoError(t, err)
	defer producer.Close()
	given := [][]string{}
	expand := func(line []byte, each func(in *schemas.Interaction, index int, err error)) error {
		given = append(given, strings.SplitAfter(string(line), `"spanId"`))
		each(&schemas.Interaction{ID: "a", Answer: "At nine.", Temperature: schemas.UnknownTemperature}, 0, nil)
		each(nil, 1, errors.New("broken"))
		return nil
	}
	span := `{"trace_id":"1","span_id":"2","name":"llm","input":"When?","output":"At nine."}` + "\n"
	res, err := Run(t.Context(), strings.NewReader(span+strings.ReplaceAll(span, `"2"`, `"3"`)), &bytes.Buffer{}, Options{Producer: producer, Topic: "in", Expand: expand})
	require.NoError(t, err)
	require.Equal(t, Result{Lines: 1, Written: 1, Bad: 1}, res, "one trace")
	require.Len(t, given, 1)
	require.Len(t, given[0], 3)
	require.Equal(t, "a", string(kafkatest.ReadAll(t, cfg, "in")[0].Key))
}
