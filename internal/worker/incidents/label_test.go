package incidents

import (
	"bytes"
	"context"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"confab/internal/kafka"
	"confab/internal/kafka/kafkatest"
	"confab/schemas"
	"confab/schemas/json"
)

var noon = time.Date(2026, 11, 21, 12, 0, 0, 0, time.UTC)

func decodeFlag(_ context.Context, value []byte, f *schemas.Flag) error {
	return json.DecodeFlag(value, f)
}

// paddedID is an incident id that starts with the digits.
func paddedID(begin string) string { return begin + strings.Repeat("0", incidentDigits-len(begin)) }

// writeFlags writes flags as the worker keys them.
func writeFlags(t *testing.T, cfg kafka.Config, topic string, flags ...schemas.Flag) {
	t.Helper()
	var ms []kafka.Message
	for i := range flags {
		value, err := json.AppendFlag(nil, &flags[i])
		require.NoError(t, err)
		ms = append(ms, kafka.Message{Topic: topic, Partition: kafka.AnyPartition, Key: []byte(flags[i].IncidentID), Value: value})
	}
	kafkatest.Write(t, cfg, ms...)
}

func TestLabelFindsTheIncidentAndWritesIt(t *testing.T) {
	cfg := kafkatest.Start(t, map[string]int32{"flags": 3, "labels": 2})
	risk := .83
	writeFlags(
		t, cfg, "flags",
		schemas.Flag{IncidentID: paddedID("abcdef01"), Pass: schemas.PassFast, Fired: []string{"citation"}, Service: "bot"},
		schemas.Flag{IncidentID: paddedID("abcdef01"), Pass: schemas.PassDeep, Fired: []string{"judge", "citation"}, Service: "b\x1bot", Model: "m-1", Risk: &risk, Alert: true, DetectedAt: noon},
		schemas.Flag{IncidentID: paddedID("abcdef01"), Pass: schemas.PassFast, Fired: []string{"schema"}, Service: "bot"}, // a repeat after a crash
		schemas.Flag{IncidentID: paddedID("abcdef02"), Pass: schemas.PassFast, Service: "quiet"},
		schemas.Flag{IncidentID: paddedID("1234"), Pass: schemas.PassFast, Fired: []string{"facts"}, Service: "other"},
	)
	read := 0
	options := func(id string) LabelOptions {
		return LabelOptions{
			Incidents: FindOptions{
				Kafka: cfg, Topic: "flags", Incident: id, Decode: decodeFlag, Now: func() time.Time { return noon }, Progress: func(n int) { read = n },
			},
			Topic: "labels", Verdict: "wrong", User: "ann", Comment: " wrong year ",
		}
	}
	var out bytes.Buffer
	require.NoError(t, Label(t.Context(), &out, options(paddedID("abcdef01"))))
	require.Positive(t, read)
	require.Equal(t, `incident `+paddedID("abcdef01")+`
  service   b[U+001B]ot
  model     m-1
  fired     judge + citation
  risk      0.83
  pass      deep
  detected  2026-11-21T12:00:00Z
  alert     yes
labelled wrong by ann
`, out.String())
	require.NoError(t, Label(t.Context(), &out, options(" ABCDEF02")), "the beginning of an id, as a person types it")

	labels := map[string]schemas.Feedback{}
	for _, r := range kafkatest.ReadAll(t, cfg, "labels") {
		var f schemas.Feedback
		require.NoError(t, json.DecodeFeedback(r.Value, &f))
		require.Equal(t, f.IncidentID, string(r.Key))
		require.Equal(t, kafka.PartitionOf(r.Key, 2), r.Partition)
		labels[f.IncidentID] = f
	}
	require.Equal(t, schemas.Feedback{
		IncidentID: paddedID("abcdef01"), Verdict: schemas.Wrong, Detectors: []string{"citation", "judge"}, User: "ann",
		Source: schemas.FromCLI, At: noon, Comment: "wrong year",
	}, labels[paddedID("abcdef01")])
	require.Contains(t, labels, paddedID("abcdef02"))

	forced := options(paddedID("ffff"))
	require.ErrorIs(t, Label(t.Context(), &out, forced), ErrUnknownIncident)
	require.Len(t, kafkatest.ReadAll(t, cfg, "labels"), 2, "nothing was written")
	forced.Force = true
	require.NoError(t, Label(t.Context(), &out, forced))
	require.Len(t, kafkatest.ReadAll(t, cfg, "labels"), 3)
}

func TestLabelRefuses(t *testing.T) {
	cfg := kafkatest.Start(t, map[string]int32{"flags": 1, "labels": 1})
	writeFlags(t, cfg, "flags", schemas.Flag{IncidentID: paddedID("abcdef011")}, schemas.Flag{IncidentID: paddedID("abcdef012")})
	tests := map[string]struct {
		change func(o *LabelOptions)
		want   string
	}{
		"no hexadecimal": {func(o *LabelOptions) { o.Incidents.Incident = "the first one" }, "is not an incident id"},
		"too short":      {func(o *LabelOptions) { o.Incidents.Incident = "abcdef0" }, "the first 8 or more"},
		"too long":       {func(o *LabelOptions) { o.Incidents.Incident += "0" }, "is not an incident id"},
		"of two":         {func(o *LabelOptions) { o.Incidents.Incident = "abcdef01" }, "2 incidents start with abcdef01"},
		"unknown":        {func(o *LabelOptions) { o.Incidents.Incident = "12345678" }, "--force"},
		"forced by half": {func(o *LabelOptions) { o.Incidents.Incident, o.Force = "12345678", true }, "the whole id of 64 digits"},
		"verdict":        {func(o *LabelOptions) { o.Verdict = "bad" }, "write wrong or fine"},
		"nobody":         {func(o *LabelOptions) { o.User = " " }, "--user is missing"},
		"a name too far": {func(o *LabelOptions) { o.User = strings.Repeat("a", 129) }, "at most 128"},
		"a novel":        {func(o *LabelOptions) { o.Comment = strings.Repeat("a", 1001) }, "at most 1000"},
		"no topic":       {func(o *LabelOptions) { o.Topic = "nowhere" }, "confab topics apply"},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			o := LabelOptions{
				Incidents: FindOptions{Kafka: cfg, Topic: "flags", Incident: paddedID("abcdef011"), Decode: decodeFlag, Now: func() time.Time { return noon }},
				Topic:     "labels", Verdict: "wrong", User: "ann",
			}
			tt.change(&o)
			require.ErrorContains(t, Label(t.Context(), &bytes.Buffer{}, o), tt.want)
			require.Empty(t, kafkatest.ReadAll(t, cfg, "labels"))
		})
	}
}
