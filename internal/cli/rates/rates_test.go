package rates

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"go.uber.org/goleak"

	"confab/calibration/rate"
	"confab/internal/kafka"
	"confab/internal/kafka/embedded"
	"confab/internal/worker/incidents"
	"confab/schemas"
	confabjson "confab/schemas/json"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// deepFlags are judged flags of one service, of which some are positive.
func deepFlags(service string, n, positive int) (flags []schemas.Flag) {
	for i := range n {
		f := schemas.Flag{
			IncidentID: fmt.Sprintf("%s-%d", service, i), Pass: schemas.PassDeep, Service: service, Model: "m\x1b[31m", Sampled: true, SampleProbability: 0.01,
			Signals: []schemas.Signal{{Detector: "faithfulness", Outcome: schemas.Clear}}, DetectedAt: time.Now(),
		}
		if i < positive {
			f.Signals[0].Outcome = schemas.Fired
		}
		flags = append(flags, f)
	}
	return flags
}

// jsonRow is as much of a row as these tests look at.
type jsonRow struct {
	Values  map[string]string
	Rate    *float64
	Missing float64
}

func newCollector(t *testing.T, flags ...schemas.Flag) *rate.Collector {
	t.Helper()
	c, err := rate.NewCollector(rate.Options{By: []string{"service", "model"}, Deep: []string{"faithfulness"}})
	require.NoError(t, err)
	for i := range flags {
		require.NoError(t, c.AddFlag(&flags[i]))
	}
	return c
}

func TestPrint(t *testing.T) {
	c := newCollector(t, append(deepFlags("bot", 100, 5), deepFlags("shop", 7, 1)...)...)
	c.AddLabel(&schemas.Feedback{IncidentID: "bot-0", Verdict: schemas.Fine, User: "u", At: time.Now()})
	res := c.Result()
	var out, notes bytes.Buffer
	require.NoError(t, PrintTable(&out, &notes, &res))
	require.NotContains(t, out.String(), "\x1b")
	require.Contains(t, out.String(), "4.0 %")
	require.Contains(t, out.String(), "13 more verdicts")
	require.Contains(t, out.String(), "the judge's word")
	require.Contains(t, notes.String(), "warning: the rate is the judge's word")
	out.Reset()
	require.NoError(t, PrintJSON(&out, &res))
	var got struct{ Rows []jsonRow }
	require.NoError(t, json.Unmarshal(out.Bytes(), &got))
	require.Equal(t, "bot", got.Rows[0].Values["service"])
	require.InDelta(t, 0.04, *got.Rows[0].Rate, 1e-9)
	require.Nil(t, got.Rows[1].Rate, "too few verdicts are no rate")
}

// Both outputs say where too many verdicts are missing.
func TestMissingVerdicts(t *testing.T) {
	for name, c := range map[string]struct {
		skipped int // of shop
		want    string
	}{
		"few":       {1, ""},
		"a service": {9, "10 % of the sampled traffic of shop / m[U+001B][31m has no verdict"},
		"all":       {60, "25 % of the sampled traffic of all has no verdict"},
	} {
		t.Run(name, func(t *testing.T) {
			skipped := deepFlags("shop", 80+c.skipped, 1)
			for i := 80; i < len(skipped); i++ {
				skipped[i].Signals = nil
			}
			res := newCollector(t, append(deepFlags("bot", 100, 5), skipped...)...).Result()
			var out, notes bytes.Buffer
			require.NoError(t, PrintTable(&out, &notes, &res))
			require.NotContains(t, notes.String(), "\x1b")
			out.Reset()
			require.NoError(t, PrintJSON(&out, &res))
			var got struct {
				Total    jsonRow
				Warnings []string
			}
			require.NoError(t, json.Unmarshal(out.Bytes(), &got))
			if c.want == "" {
				require.NotContains(t, notes.String(), "no verdict")
				require.Len(t, got.Warnings, 1)
				return
			}
			require.Contains(t, notes.String(), "warning: "+c.want)
			require.Len(t, got.Warnings, 2)
			require.InDelta(t, float64(c.skipped)/float64(180+c.skipped), got.Total.Missing, 1e-9)
		})
	}
}

// Rows that cannot count are refused, not lost.
// Flags of one answer count once, which is said.
func TestRepeatedFlags(t *testing.T) {
	path := filepath.Join(t.TempDir(), "flags.jsonl")
	var lines []byte
	for _, f := range append(deepFlags("bot", 3, 1), deepFlags("bot", 2, 1)...) {
		line, err := confabjson.AppendFlag(nil, &f)
		require.NoError(t, err)
		lines = append(append(lines, line...), '\n')
	}
	require.NoError(t, os.WriteFile(path, lines, 0o600))
	var notes bytes.Buffer
	_, err := (&Inputs{Paths: []string{path}, Notes: &notes}).Estimate(t.Context(), rate.Options{Deep: []string{"faithfulness"}})
	require.NoError(t, err)
	require.Contains(t, notes.String(), "flags.jsonl: 2 flags repeat an answer under the same id: each answer counts once\n")
}

func TestTableFaults(t *testing.T) {
	for name, c := range map[string]struct{ rows, want string }{
		"useless probability": {"a,wrong,1e-12\n", `reviewed.csv:2: probability "1e-12"`},
		"no incident":         {",wrong,0.5\n", "reviewed.csv:2: has no incident_id"},
		"contradiction":       {"a,wrong,0.5\nb,fine,0.5\na,fine,0.5\n", "reviewed.csv:4: contradicts"},
	} {
		path := filepath.Join(t.TempDir(), "reviewed.csv")
		require.NoError(t, os.WriteFile(path, []byte("incident_id,verdict,probability\n"+c.rows), 0o600))
		_, err := readTable(path, verdicts{})
		require.ErrorContains(t, err, c.want, name)
	}
}

func TestTopics(t *testing.T) {
	c, err := embedded.Start(embedded.Options{Topics: map[string]int32{"flags": 2, "labels": 1}})
	require.NoError(t, err)
	t.Cleanup(c.Close)
	cfg := kafka.Config{SeedBrokers: c.Seeds()}
	p, err := kafka.NewProducer(cfg)
	require.NoError(t, err)
	t.Cleanup(p.Close)
	values := [][]byte{[]byte("nonsense")}
	for _, f := range deepFlags("bot", 30, 3) {
		value, err := confabjson.AppendFlag(nil, &f)
		require.NoError(t, err)
		values = append(values, value)
	}
	for i, value := range values {
		require.NoError(t, p.ProduceSync(t.Context(), kafka.Message{Topic: "flags", Partition: int32(i % 2), Value: value}))
	}
	require.NoError(t, p.ProduceSync(t.Context(), kafka.Message{Topic: "labels", Partition: kafka.AnyPartition, Value: []byte(
		`{"incident_id":"bot-29","verdict":"wrong","user":"u","source":"cli","at":"2026-11-23T00:00:00Z"}`)}))
	flags := incidents.FindOptions{
		Kafka: cfg, Topic: "flags",
		Decode: func(_ context.Context, value []byte, f *schemas.Flag) error {
			_ = confabjson.DecodeFlag(value, f) // without an id it cannot be read
			return nil
		},
	}
	var notes bytes.Buffer
	in := Inputs{Topics: &Topics{Flags: flags, Labels: "labels", Start: time.Now().Add(-time.Hour)}, Notes: &notes}
	o := rate.Options{By: []string{"service"}, Deep: []string{"faithfulness"}}
	res, err := in.Estimate(t.Context(), o)
	require.NoError(t, err)
	require.Equal(t, 30, res.Total.Verdicts)
	require.Equal(t, 4, res.Total.Wrong)
	require.Equal(t, "1 records could not be read\n", notes.String())

	// A table besides: its rows have their own probabilities, flags say the rest, and labels of the topic are outranked.
	path := filepath.Join(t.TempDir(), "reviewed.csv")
	require.NoError(t, os.WriteFile(path, []byte("incident_id,verdict,probability\nbot-29,fine,0.01\nelse,wrong,0.01\nelse-2,,0.01\n"), 0o600))
	in.Paths, in.Asked = []string{path}, true
	res, err = in.Estimate(t.Context(), o)
	require.NoError(t, err)
	require.Equal(t, []int{31, 4, 2}, []int{res.Total.Verdicts, res.Total.Wrong, res.Total.Labelled})
	require.Contains(t, notes.String(), "reviewed.csv: 1 rows have no verdict and do not count\n")
	in.Topics.Flags.Topic = "none"
	_, err = in.Estimate(t.Context(), o)
	require.Error(t, err)
}

func TestTables(t *testing.T) {
	t.Chdir(t.TempDir())
	const names = "incident_id,verdict,probability,attributes,occurred_at\n"
	for name, rows := range map[string]string{
		"a.csv":       "1,wrong,1,,\n1,wrong,1,,\n2,fine,0.5,\"{\"\"v\"\":\"\"x\"\"}\",2026-11-23T08:00:00Z\n",
		"b.csv":       "1,wrong,1,,\n3,fine,0.5,,\n",
		"against.csv": "1,wrong,1,,\n1,fine,1,,\n",
		"c.csv":       "2,wrong,1,,\n",
		"time.csv":    "2,wrong,1,,2026-11-23 08:00\n",
	} {
		require.NoError(t, os.WriteFile(name, []byte(names+rows), 0o600))
	}
	estimate := func(o rate.Options, paths ...string) (*rate.Result, string, error) {
		var notes bytes.Buffer
		in := Inputs{Paths: paths, Notes: &notes}
		res, err := in.Estimate(t.Context(), o)
		return res, notes.String(), err
	}
	res, _, err := estimate(rate.Options{}, "a.csv", "b.csv")
	require.NoError(t, err)
	require.Equal(t, []int{3, 1}, []int{res.Total.Verdicts, res.Total.Wrong})
	require.InDelta(t, 6, res.Total.Answers, 1e-9, "a repeated row counts once, an answer of two tables for both")

	_, notes, err := estimate(rate.Options{Since: time.Date(2026, 11, 24, 0, 0, 0, 0, time.UTC)}, "a.csv")
	require.NoError(t, err)
	require.Equal(t, "a.csv: 1 rows are of other times and do not count\n", notes)
	_, _, err = estimate(rate.Options{By: []string{"attributes.v"}}, "a.csv")
	require.NoError(t, err)
	for name, want := range map[string]string{
		"attributes.w": "--by attributes.w: no answer has it: flags hold", "model": "--by model: no answer has one: draw the table",
	} {
		o := rate.Options{By: []string{"attributes.v", name}}
		in := Inputs{Paths: []string{"a.csv"}, Asked: true}
		_, err = in.Estimate(t.Context(), o)
		require.ErrorContains(t, err, want)
		res, _, err = estimate(o, "a.csv")
		require.NoError(t, err)
		require.Equal(t, []string{"attributes.v"}, res.By, "by default it is left out")
		require.Len(t, res.Rows[0].Values, 1)
	}
	_, _, err = estimate(rate.Options{}, "against.csv")
	require.ErrorContains(t, err, "against.csv:3: contradicts against.csv:2: correct one of them")
	_, _, err = estimate(rate.Options{}, "a.csv", "c.csv")
	require.ErrorContains(t, err, "c.csv:2: contradicts a.csv:4")
	_, _, err = estimate(rate.Options{}, "time.csv")
	require.ErrorContains(t, err, `time.csv:2: occurred_at "2026-11-23 08:00": expected a time such as`)
}

// Thumbs down are columns of their own, which are there only if somebody voted.
func TestPrintThumbs(t *testing.T) {
	flags := deepFlags("bot", 100, 5)
	for i := range flags {
		if i < 40 {
			flags[i].UserFeedback, flags[i].UserFeedbackBy = schemas.ThumbUp, fmt.Sprint(i)
		}
		if i < 10 {
			flags[i].UserFeedback = schemas.ThumbDown
		}
	}
	c := newCollector(t, append(flags, deepFlags("shop", 30, 1)...)...)
	c.AddVote("", &schemas.Vote{InteractionID: "x", Vote: schemas.ThumbUp})
	res := c.Result()
	var out, notes, script bytes.Buffer
	require.NoError(t, PrintTable(&out, &notes, &res))
	require.Contains(t, out.String(), "THUMBS DOWN")
	require.Regexp(t, `bot .*│ 25.0 % +│ 13.6 to 40.2 +│ +40 `, out.String())
	require.Contains(t, out.String(), "20 more votes")
	require.Contains(t, notes.String(), "1 votes of end users are on answers that are not in the sample")
	require.NoError(t, PrintJSON(&script, &res))
	var got struct {
		Total struct {
			Thumbs struct {
				Votes, Down int
				Rate        *float64
			} `json:"thumbs_down"`
			Rate float64
		}
		Unjoined int `json:"unjoined_votes"`
	}
	require.NoError(t, json.Unmarshal(script.Bytes(), &got))
	require.Equal(t, []int{40, 10, 1}, []int{got.Total.Thumbs.Votes, got.Total.Thumbs.Down, got.Unjoined})
	require.InDelta(t, 0.25, *got.Total.Thumbs.Rate, 1e-9)
	require.InDelta(t, 6.0/130, got.Total.Rate, 1e-9)

	res = func() rate.Result { c := newCollector(t, deepFlags("bot", 100, 5)...); return c.Result() }()
	out.Reset()
	require.NoError(t, PrintTable(&out, &notes, &res))
	require.NotContains(t, out.String(), "THUMBS")
}
