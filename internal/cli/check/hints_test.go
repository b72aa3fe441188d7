package check

import (
	"bytes"
	"compress/gzip"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"confab/internal/worker/recordshape"
	"confab/schemas"
	"confab/schemas/json"
)

// A hint stands before the lines that it is about; cmd/worker applies each.
func TestHints(t *testing.T) {
	for line, want := range map[string]string{
		`{"id":1,"question":"How long?","reply":"Within 90 days of delivery."}`: "hint: confab map in.jsonl proposes a map for such records\nline 1: missing_answer",
		`{"id":1,"z":{"b":2}}`: "hint: confab map in.jsonl looks for the answer in all records; if none has it, write it as answer, a text (docs/interaction.md)\nline 1: ",
		`{"answer":"a"},`:      "hint: a comma follows the JSON object: remove it, e.g. sed 's/,[[:space:]]*$//' in.jsonl > interactions.jsonl\nline 1: trailing_bytes",
		`{"answer":"a"}`:       "hint: " + noSourcesHint + "\n1 record read",
		`{"answer":"a","sources":["a"],"event_id":"1","opration":"x","colour":1}`:                                 "hint: event_id looks like interaction_id, opration looks like operation: rename what it is, or name its place in a map",
		`{"answer":"a","sources":["a"],"Date":"2026-01-02"}`:                                                      "hint: Date looks like occurred_at: rename what it is, or name its place in a map",
		`{"answer":"a","sources":["a"],"occurred_at":"2026-01-02T03:04:05"}`:                                      "hint: times without a zone, such as \"2026-01-02T03:04:05\", are read as UTC: write the zone",
		`{"answer":"a","sources":["a"],"occurred_at":"16/11/2026"}`:                                               "hint: occurred_at cannot be read as a time, such as \"16/11/2026\", so that answers have none: write 2026-11-21T10:00:00Z",
		`{"answer":"a","sources":["a"],"occurred_at":[]}`:                                                         "hint: compare the shape of occurred_at",
		`{"answer":"a","sources":[["b"]],"messages":7}`:                                                           "hint: compare the shape of sources, messages with docs/interaction.md",
		`{"answer":"Within 90 days of delivery.","belege":["Goods can be returned within 30 days of delivery."]}`: "hint: passages may lie at /belege: confab map in.jsonl proposes a map that reads them",
	} {
		require.Contains(t, runCommand(t, line+"\n", Flags{}, false, "in.jsonl").err, want)
	}
	require.NotContains(t, runCommand(t, `{"answer":"a","sources":["a"]}`, Flags{}, false).err, "hint")
	require.NotContains(t, runCommand(t, `{"answer":"a","sources":["a"],"occurred_at":"2026-01-02T03:04:05Z","date":"2026-01-02"}`, Flags{}, false).err, "hint")
	require.NotContains(t, runCommand(t, `{"answer":`, Flags{}, false).err, "hint", "no members are known")
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

// A filter that leaves nothing is an error, and the summary shows it.
func TestFilterThatSkipsAll(t *testing.T) {
	for lines, want := range map[int]string{1: "skips the only record", 3: "skips all 3 records"} {
		var errs bytes.Buffer
		c := &Command{Clock: time.Now, Options: Options{
			Admit: answerScorer{}.Admit, Evaluate: scoreBySource, Now: time.Now, Name: "in.jsonl",
			Read: func([]byte, *schemas.Interaction) error { return json.ErrSkipped },
		}}
		_, err := c.Run(t.Context(), strings.NewReader(strings.Repeat("{}\n", lines)), nil, &errs)
		require.EqualError(t, err, "no interactions in in.jsonl: where, of the map or of the preset, "+want+": they hold no answer, or where is wrong (docs/existing-topics.md)")
		require.Contains(t, errs.String(), fmt.Sprintf(" read: 0 answers, %d without a model's answer, 0 unreadable; 0 flagged, 0 alerts, 0 with nothing to check, in ", lines))
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
	require.Contains(t, got.err, fmt.Sprintf("%d records read: ", got.res.Lines))
	require.Contains(t, got.out, "line 1")
}

// A time without a zone is one of UTC in files, in a map too; one of another form is named with its place.
func TestTimesOfFiles(t *testing.T) {
	file := `{"answer":"a","sources":["a"],"occurred_at":"2026-01-02T03:04:05"}` + "\n" + `{"answer":"a","sources":["a"],"occurred_at":"2026-01-02"}` + "\n"
	done := runCommand(t, file, Flags{}, false, "in.jsonl")
	require.Contains(t, done.err, "hint: times without a zone")
	require.NotContains(t, done.err, "malformed")
	for text, order := range map[string]string{"09/11/2026 08:29": "dmy", "11/9/2026 8:29 AM": "mdy"} {
		in := schemas.Interaction{UnreadTime: text, UnreadOrder: order}
		recordshape.ReadTime(&in)
		require.Equal(t, "2026-11-09T08:29:00Z", in.OccurredAt.Format(time.RFC3339))
		require.Equal(t, text, in.UnreadTime, "the hint shows what the file has")
	}
	r := Result{timeAt: "/day", unreadTime: "16/11/2026"}
	r.Malformed.add(timeField)
	require.Contains(t, r.hints("in.csv")[0], "/day cannot be read as a time")
}
