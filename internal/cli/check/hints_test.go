package check

import (
	"bytes"
	"compress/gzip"
	"context"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"confab/schemas"
	"confab/schemas/json"
)

// Whatever went wrong, the summary begins with a remedy.
func TestHints(t *testing.T) {
	for name, c := range map[string]struct{ line, want string }{
		"unknown shape":      {`{"id":1,"question":"q","reply":"a","to\u0009do":1}`, "its fields are id, question, reply, to do: name those of the answer and of its sources in a map: see docs/existing-topics.md"},
		"a number as id":     {`{"interaction_id":[7],"answer":"a"}`, "write interaction_id as a string, e.g. jq -c '.interaction_id |= tostring' in.jsonl > interactions.jsonl"},
		"pages of an API":    {`{"data":[{"a":1}],"meta":{}}`, "this is one object with its records in data: write one per line, e.g. jq -c '.data[]' in.jsonl > records.jsonl"},
		"no sources":         {`{"answer":"a"}`, noSourcesHint},
		"parts":              {`{"answer":["a"],"sources":["a"]}`, "answer takes a text; a map takes lists of parts, too, and texts within objects, such as answer: /answer/content: see docs/existing-topics.md"},
		"sources of sources": {`{"answer":"a","sources":[["b"]],"messages":7}`, "compare the shape of sources, messages with docs/interaction.md"},
		"prose":              {"Hello there.", "expected one JSON object per line: see docs/interaction.md"},
		"comma":              {`{"answer":"a"},`, "a comma follows the JSON object: remove it, e.g. sed 's/,[[:space:]]*$//' in.jsonl > interactions.jsonl"},
		"Latin 1":            {"{\"answer\":\"Flu\xdf\"}", "the text is not UTF-8: convert it, e.g. iconv -f WINDOWS-1252 -t UTF-8 in.jsonl > interactions.jsonl"},
		"other names":        {`{"answer":"a","sources":["a"],"event_id":"1","timestamp":2,"opration":"x","colour":1}`, "event_id looks like interaction_id, timestamp looks like occurred_at, opration looks like operation: rename what it is, or name its place in a map (docs/existing-topics.md)"},
		"no zone":            {`{"answer":"a","sources":["a"],"occurred_at":"2026-01-02T03:04:05"}`, timeHint},
	} {
		t.Run(name, func(t *testing.T) {
			require.Contains(t, "\n"+runCommand(t, c.line+"\n", Flags{}, false, "in.jsonl").err, "\nhint: "+c.want+"\n")
		})
	}
	require.NotContains(t, runCommand(t, `{"answer":"a","sources":["a"]}`, Flags{}, false).err, "hint")
	require.NotContains(t, runCommand(t, `{"answer":`, Flags{}, false).err, "hint", "no fields are known")
}

// A batch of spans is one record, of which a map reads one span.
func TestHintForUnreadSpans(t *testing.T) {
	const spans = `{"resourceSpans":[{"scopeSpans":[{"spans":[{"startTimeUnixNano":"1"},{"startTimeUnixNano":"2"},{"startTimeUnixNano":"3"}]}]}]}` + "\n"
	var errs bytes.Buffer
	res, err := Run(t.Context(), strings.NewReader(spans+spans), nil, &errs, Options{
		Admit: answerScorer{}.Admit, Evaluate: scoreBySource, Now: time.Now, Name: "otlp.jsonl",
		Read: func(_ []byte, in *schemas.Interaction) error { in.Answer = "x"; return nil },
	})
	require.NoError(t, err)
	require.Equal(t, 4, res.UnreadSpans)
	require.NoError(t, res.WriteSummary(&errs, "otlp.jsonl"))
	require.Contains(t, errs.String(), "\nhint: 4 spans were not read, since a map reads the first of each record: confab check otlp.jsonl --preset otlp reads all\n")
}

// A shape that a map reads needs sources, not a map.
func TestHintForMappedRecords(t *testing.T) {
	const record = `{"choices":[]}` + "\n"
	var errs bytes.Buffer
	res, err := Run(t.Context(), strings.NewReader(record), nil, &errs, Options{
		Admit: answerScorer{}.Admit, Evaluate: scoreBySource, Now: time.Now,
		Read: func(_ []byte, in *schemas.Interaction) error { in.Answer = "x"; return nil },
	})
	require.NoError(t, err)
	require.NoError(t, res.WriteSummary(&errs, "in.jsonl"))
	require.Contains(t, errs.String(), "hint: "+noSourcesHint)
}

// Sources without a text need another member, not other logs.
func TestHintForSourcesWithoutText(t *testing.T) {
	var errs bytes.Buffer
	res, err := Run(t.Context(), strings.NewReader(`{"answer":"a","sources":[{"body":"b"}]}`), nil, &errs, Options{
		Admit: answerScorer{}.Admit, Now: time.Now,
		Evaluate: func(_ context.Context, in *schemas.Interaction, _ schemas.Origin, _ time.Time) schemas.Flag {
			require.Len(t, in.Sources, 1)
			return schemas.Flag{SourcesFrom: schemas.SourcesFromField, Signals: []schemas.Signal{{Detector: "grounding", Outcome: schemas.NotCheckable, Reason: noSources}}}
		},
	})
	require.NoError(t, err)
	require.NoError(t, res.WriteSummary(&errs, "in.jsonl"))
	require.Contains(t, errs.String(), "hint: "+noTextsHint)
}

// A filter that leaves nothing is an error, and the summary shows it.
func TestFilterThatSkipsAll(t *testing.T) {
	for lines, want := range map[int]string{1: "its filter skipped the only record", 3: "its filter skipped all 3 records"} {
		var errs bytes.Buffer
		c := &Command{Clock: time.Now, Options: Options{
			Admit: answerScorer{}.Admit, Evaluate: scoreBySource, Now: time.Now, Name: "in.jsonl",
			Read: func([]byte, *schemas.Interaction) error { return json.ErrSkipped },
		}}
		_, err := c.Run(t.Context(), strings.NewReader(strings.Repeat("{}\n", lines)), nil, &errs)
		require.EqualError(t, err, "no interactions in in.jsonl: "+want+" (where of the input, or of its preset; see docs/existing-topics.md)")
		require.Contains(t, errs.String(), fmt.Sprintf("%d read, 0 flagged, 0 alerts, 0 with nothing to check, 0 unreadable, %d skipped by the filter", lines, lines))
	}
}

// What a truncated file has is shown.
func TestSummaryOfTruncatedFile(t *testing.T) {
	var packed bytes.Buffer
	w := gzip.NewWriter(&packed)
	for i := range 2000 {
		fmt.Fprintf(w, `{"interaction_id":"%d","answer":"fine"}`+"\n", i*7919)
	}
	require.NoError(t, w.Close())
	got := runCommand(t, packed.String()[:packed.Len()/2], Flags{}, true, "in.jsonl.gz")
	require.ErrorContains(t, got.fault, "in.jsonl.gz is cut off: fetch or compress it again: read line ")
	require.Contains(t, got.err, fmt.Sprintf("%d read, 0 flagged", got.res.Lines))
	require.Contains(t, got.out, "line 1")
}
