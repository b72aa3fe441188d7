package incidents

import (
	"bytes"
	stdjson "encoding/json"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"confab/internal/kafka/kafkatest"
	"confab/schemas"
	"confab/schemas/json"
)

type silenceHarness struct {
	SilenceOptions
	t   *testing.T
	at  time.Time
	out bytes.Buffer
}

func newSilenceHarness(t *testing.T) *silenceHarness {
	r := &silenceHarness{t: t, at: noon}
	r.SilenceOptions = SilenceOptions{Kafka: kafkatest.Start(t, map[string]int32{"alerts": 3}), Topic: "alerts", Now: func() time.Time { return r.at }}
	return r
}

func (r *silenceHarness) add(id string, d time.Duration, m schemas.AlertGroupLabels) {
	r.t.Helper()
	require.NoError(r.t, AddSilence(r.t.Context(), &r.out, r.SilenceOptions, schemas.Silence{ID: id, Matchers: m, User: "ann", Comment: "deploy"}, d))
}

func (r *silenceHarness) list(all bool) (ids []string) {
	r.t.Helper()
	var out bytes.Buffer
	require.NoError(r.t, ShowSilences(r.t.Context(), &out, r.SilenceOptions, all, true))
	for line := range strings.Lines(out.String()) {
		var s schemas.Silence
		require.NoError(r.t, stdjson.Unmarshal([]byte(line), &s))
		ids = append(ids, s.ID)
	}
	return ids
}

func TestSilencesAreWrittenToEveryPartition(t *testing.T) {
	r := newSilenceHarness(t)
	r.add("s-1", 2*time.Hour, schemas.AlertGroupLabels{Service: "bot", Detectors: []string{"schema", "citation", "schema"}})
	r.add("s-2", time.Hour, schemas.AlertGroupLabels{Model: "m-1"})
	require.Equal(t, []string{"s-2", "s-1"}, r.list(false))
	seen := map[int32]int{}
	for _, rec := range kafkatest.ReadAll(t, r.Kafka, "alerts") {
		var a schemas.AlertState
		require.NoError(t, json.DecodeAlertState(rec.Value, &a))
		require.Equal(t, schemas.AlertSilence, a.Status)
		require.Equal(t, a.Silence.ID, string(rec.Key))
		require.Equal(t, a.Silence.Until, a.Until)
		seen[rec.Partition]++
	}
	require.Equal(t, map[int32]int{0: 2, 1: 2, 2: 2}, seen)

	require.NoError(t, ExpireSilence(t.Context(), &r.out, r.SilenceOptions, "s-1"))
	require.Equal(t, []string{"s-2"}, r.list(false))
	require.Equal(t, []string{"s-1", "s-2"}, r.list(true))
	require.ErrorContains(t, ExpireSilence(t.Context(), &r.out, r.SilenceOptions, "s-"), "2 silences start with")
	require.ErrorContains(t, ExpireSilence(t.Context(), &r.out, r.SilenceOptions, "x"), "there is no silence x")
	require.ErrorContains(t, ExpireSilence(t.Context(), &r.out, r.SilenceOptions, ""), "there is no silence")
	require.Equal(t, `silence s-1: service bot, detectors citation + schema, until 2026-11-21T14:00:00Z
silence s-2: model m-1, until 2026-11-21T13:00:00Z
silence s-1 has ended: service bot, detectors citation + schema
`, r.out.String())

	r.at = r.at.Add(3 * time.Hour)
	require.Empty(t, r.list(false))
	r.at = r.at.Add(keepSilence)
	r.add("s-3", time.Hour, schemas.AlertGroupLabels{Tenant: "a"})
	require.Equal(t, []string{"s-3"}, r.list(true), "what ended long ago is removed")
}

func TestPrintSilences(t *testing.T) {
	r := newSilenceHarness(t)
	r.add("s-1", time.Hour, schemas.AlertGroupLabels{Service: "bot\x1b[2J"})
	var out bytes.Buffer
	require.NoError(t, ShowSilences(t.Context(), &out, r.SilenceOptions, false, false))
	require.Contains(t, out.String(), "active")
	require.NotContains(t, out.String(), "\x1b")
	out.Reset()
	require.NoError(t, ShowSilences(t.Context(), &out, r.SilenceOptions, false, true))
	require.JSONEq(t, `{"id":"s-1","matchers":{"service":"bot\u001b[2J"},"user":"ann","comment":"deploy","from":"2026-11-21T12:00:00Z","until":"2026-11-21T13:00:00Z","active":true}`, out.String())
	out.Reset()
	require.NoError(t, printSilences(&out, nil, noon))
	require.Equal(t, "no silences\n", out.String())
}

func TestSilenceRefuses(t *testing.T) {
	bot := schemas.AlertGroupLabels{Service: "bot"}
	key := "0123456789abcdef0123456789abcdef"
	tests := map[string]struct {
		s    schemas.Silence
		d    time.Duration
		want string
	}{
		"everything":    {schemas.Silence{User: "ann"}, time.Hour, "would mute all alerts"},
		"empty names":   {schemas.Silence{User: "ann", Matchers: schemas.AlertGroupLabels{Detectors: []string{""}}}, time.Hour, "would mute all alerts"},
		"both":          {schemas.Silence{User: "ann", Matchers: bot, Group: key}, time.Hour, "leave the other matchers out"},
		"no key":        {schemas.Silence{User: "ann", Group: "bot"}, time.Hour, "32 hexadecimal digits"},
		"no time":       {schemas.Silence{User: "ann", Matchers: bot}, 0, "--for is missing"},
		"into the past": {schemas.Silence{User: "ann", Matchers: bot}, -time.Hour, "--for is missing"},
		"for ever":      {schemas.Silence{User: "ann", Group: key}, 800 * time.Hour, "at most 30 days"},
		"no detector":   {schemas.Silence{User: "ann", Matchers: schemas.AlertGroupLabels{Detectors: []string{"nosuch"}}}, time.Hour, "there is no such detector: name one of citation,"},
		"nobody":        {schemas.Silence{Matchers: bot}, time.Hour, "--user is missing"},
	}
	r := newSilenceHarness(t)
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			tt.s.ID = "s"
			require.ErrorContains(t, AddSilence(t.Context(), &r.out, r.SilenceOptions, tt.s, tt.d), tt.want)
		})
	}
	require.Empty(t, kafkatest.ReadAll(t, r.Kafka, "alerts"))
	gone := r.SilenceOptions
	gone.Topic = "nowhere"
	require.ErrorContains(t, AddSilence(t.Context(), &r.out, gone, schemas.Silence{ID: "s", User: "ann", Matchers: bot}, time.Hour), "confab topics apply")
}
