package incidents

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"confab/internal/kafka"
	"confab/internal/kafka/kafkatest"
	"confab/schemas"
	"confab/schemas/json"
)

// labelRun runs LabelFromFile on a broker with some flags.
type labelRun struct {
	cfg       kafka.Config
	out, errs bytes.Buffer
}

func newLabelRun(t *testing.T) *labelRun {
	t.Helper()
	r := &labelRun{cfg: kafkatest.Start(t, map[string]int32{"flags": 3, "labels": 2})}
	writeFlags(
		t, r.cfg, "flags",
		schemas.Flag{IncidentID: paddedID("aaaaaaaa1"), Tenant: "acme", InteractionID: "i-1", Pass: schemas.PassFast, Fired: []string{"facts"}},
		schemas.Flag{IncidentID: paddedID("aaaaaaaa1"), Tenant: "acme", InteractionID: "i-1", Pass: schemas.PassDeep, Fired: []string{"judge", "facts"}},
		schemas.Flag{IncidentID: paddedID("aaaaaaaa2"), Tenant: "default", InteractionID: "i-1", Pass: schemas.PassFast},
		schemas.Flag{IncidentID: paddedID("bbbbbbbb"), Tenant: "default", InteractionID: "twice", Pass: schemas.PassFast},
		schemas.Flag{IncidentID: paddedID("cccccccc"), Tenant: "default", InteractionID: "twice", Pass: schemas.PassFast},
	)
	return r
}

func (r *labelRun) run(t *testing.T, name, content string, change func(o *LabelFileOptions)) error {
	t.Helper()
	path := filepath.Join(t.TempDir(), name)
	require.NoError(t, os.WriteFile(path, []byte(content), 0o600))
	o := LabelFileOptions{
		Incidents: FindOptions{Kafka: r.cfg, Topic: "flags", Decode: decodeFlag, Now: func() time.Time { return noon }},
		Topic:     "labels", File: path, User: "ann",
	}
	if change != nil {
		change(&o)
	}
	r.out.Reset()
	r.errs.Reset()
	err := LabelFromFile(t.Context(), &r.out, &r.errs, o)
	text := strings.ReplaceAll(r.errs.String(), filepath.Dir(path)+string(filepath.Separator), "")
	r.errs.Reset()
	r.errs.WriteString(text)
	return err
}

func (r *labelRun) labels(t *testing.T) (list []schemas.Feedback) {
	t.Helper()
	for _, record := range kafkatest.ReadAll(t, r.cfg, "labels") {
		var l schemas.Feedback
		require.NoError(t, json.DecodeFeedback(record.Value, &l))
		require.Equal(t, l.IncidentID, string(record.Key))
		list = append(list, l)
	}
	return list
}

func TestLabelFromFile(t *testing.T) {
	r := newLabelRun(t)
	content := "incident_id,interaction_id,tenant,verdict,by,note,at,question\n" +
		paddedID("AAAAAAAA1") + ",,,wrong,bob,\"wrong year, twice\",2026-11-20T08:00:00+02:00,Q\n" +
		",i-1,,fine,,,,Q\n" +
		",i-9,,,,,,not reviewed yet\n"
	require.NoError(t, r.run(t, "labels.csv", content, func(o *LabelFileOptions) { o.DryRun = true }))
	require.Equal(t, "3 rows: 2 labels would be written, 1 have no verdict\n", r.out.String())
	require.Empty(t, r.labels(t))

	require.NoError(t, r.run(t, "labels.csv", content, nil))
	require.Equal(t, "3 rows: 2 labels written, 1 have no verdict\n", r.out.String())
	require.ElementsMatch(t, []schemas.Feedback{
		{
			IncidentID: paddedID("aaaaaaaa1"), Verdict: schemas.Wrong, User: "bob", Comment: "wrong year, twice", Source: schemas.FromCLI,
			Detectors: []string{"facts", "judge"}, At: time.Date(2026, 11, 20, 6, 0, 0, 0, time.UTC),
		},
		{IncidentID: paddedID("aaaaaaaa2"), Verdict: schemas.Fine, User: "ann", Source: schemas.FromCLI, At: noon},
	}, utc(r.labels(t)))

	require.NoError(t, r.run(t, "labels.csv", content, nil), "again")
	require.Equal(t, "3 rows: 2 labels written, 1 have no verdict\n", r.out.String(), "the last label counts")
	require.Len(t, r.labels(t), 4)

	lines := `{"interaction_id":"i-1","tenant":"acme","verdict":"fine","by":"bob","at":"2026-11-19T00:00:00Z"}` + "\n" +
		`{"incident_id":"aaaaaaaa2","verdict":"wrong"}` + "\n"
	require.NoError(t, r.run(t, "labels.jsonl", lines, nil))
	require.Equal(t, "2 rows: 2 labels written\n", r.out.String())
	require.Len(t, r.labels(t), 6)
}

func utc(labels []schemas.Feedback) []schemas.Feedback {
	for i := range labels {
		labels[i].At = labels[i].At.UTC()
	}
	return labels
}

func TestLabelFromFileReportsEveryFaultyRow(t *testing.T) {
	r := newLabelRun(t)
	content := strings.Join([]string{
		"incident_id,interaction_id,tenant,verdict,by,note,at",
		paddedID("aaaaaaaa1") + ",,,wrong,,,",
		"aaaaaaaa1,,,fine,,,",
		"aaaaaaaa,,,wrong,,,",
		"first one,,,wrong,,,",
		paddedID("eeeeeeee") + ",,,wrong,,,",
		",i-1,acme,confirmed?,,,",
		",twice,,wrong,,,",
		",gone,acme,wrong,,,",
		",i-1,,wrong,,,yesterday",
		",i-1,,wrong," + strings.Repeat("a", 129) + ",,",
		",,acme,wrong,,,",
		"one cell",
	}, "\n")
	err := r.run(t, "labels.csv", content, nil)
	require.EqualError(t, err, "11 of 12 rows cannot be used, nothing was written: correct them, or leave them out with --skip-faulty")
	require.Equal(t, `labels.csv:13: 1 cells where the first line has 7 names
labels.csv:5: "first one" is not an incident id: write its 64 hexadecimal digits, or the first 8 or more of them
labels.csv:7: verdict "confirmed?": write wrong or fine, what the answer is
labels.csv:10: at "yesterday": write a time as in 2026-01-31T12:00:00Z
labels.csv:11: by: at most 128 characters of UTF-8
labels.csv:12: names no incident_id and no interaction_id
labels.csv:3: labels the same incident as labels.csv:2, by the same person
labels.csv:4: 2 incidents match, such as `+"(AAAA1|AAAA2)"+` and (AAAA1|AAAA2): write the whole incident_id
labels.csv:6: no retained flag has an id that starts with `+paddedID("eeeeeeee")+`; --force labels whole ids
labels.csv:8: 2 incidents match, such as (B|C) and (B|C): write the whole incident_id
labels.csv:9: no retained flag is of the interaction gone of tenant acme
`, replaceIDs(r.errs.String()))
	require.Empty(t, r.labels(t))

	require.NoError(t, r.run(t, "labels.csv", content, func(o *LabelFileOptions) { o.SkipFaulty, o.Force = true, true }))
	require.Equal(t, "12 rows: 2 labels written, 10 are faulty and were left out\n", r.out.String())
	require.Len(t, r.labels(t), 2)
}

// replaceIDs replaces ids whose order depends on partitions.
func replaceIDs(text string) string {
	for id, name := range map[string]string{
		"such as " + paddedID("aaaaaaaa1") + " and " + paddedID("aaaaaaaa2"): "such as (AAAA1|AAAA2) and (AAAA1|AAAA2)",
		"such as " + paddedID("aaaaaaaa2") + " and " + paddedID("aaaaaaaa1"): "such as (AAAA1|AAAA2) and (AAAA1|AAAA2)",
		"such as " + paddedID("bbbbbbbb") + " and " + paddedID("cccccccc"):   "such as (B|C) and (B|C)",
		"such as " + paddedID("cccccccc") + " and " + paddedID("bbbbbbbb"):   "such as (B|C) and (B|C)",
	} {
		text = strings.ReplaceAll(text, id, name)
	}
	return text
}

func TestLabelFromFileRefuses(t *testing.T) {
	r := newLabelRun(t)
	require.ErrorContains(t, r.run(t, "labels.csv", "id,label\na,1\n", nil), "labels.csv: no row has a verdict and an incident_id or interaction_id; its columns are id, label: name them incident_id")
	require.ErrorContains(t, r.run(t, "labels.csv", "\n", nil), "labels.csv is empty")
	require.ErrorContains(t, r.run(t, "labels.xlsx", "PK", nil), "end it in .csv, .jsonl or .json")
	require.ErrorContains(t, r.run(t, "labels.csv", "incident_id,verdict\nx,wrong\n", func(o *LabelFileOptions) { o.File = "gone.csv" }), "gone.csv does not exist")

	var many strings.Builder
	many.WriteString("interaction_id,verdict\n")
	for i := range 30 {
		fmt.Fprintf(&many, "none-%d,wrong\n", i)
	}
	require.ErrorContains(t, r.run(t, "labels.csv", many.String(), nil), "30 of 30 rows cannot be used")
	require.Equal(t, 21, strings.Count(r.errs.String(), "\n"))
	require.Contains(t, r.errs.String(), "and 10 more rows\n")
}
