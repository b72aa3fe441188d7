package export

import (
	"errors"
	"fmt"
	"math"
	"net/http"
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	"github.com/stretchr/testify/require"

	"confab/detectors"
	"confab/detectors/standard"
	"confab/schemas"
)

// TestScores holds what is written of a flag.
func TestScores(t *testing.T) {
	forEach(t, func(t *testing.T, f *fake, d *scoreWriter) {
		require.NoError(t, d.deliver(t.Context(), []*schemas.Flag{flagFor("a", span1)}))
		all, _ := f.state()
		entity, prefix := span1, ""
		if f.kind == "Opik" {
			entity, prefix = opikIDs()[span1], "confab."
		}
		require.ElementsMatch(t, []stored{
			{entity, "confab.alert", "fired", 1, "the alert rule holds"},
			{entity, "confab.risk", "block", 0.81, "calibrated probability that the answer is wrong"},
			{entity, prefix + "grounding", "fired", 0.93, "1 of 1 claims unsupported; threshold 0.5"},
			{entity, prefix + "citation", "clear", 0.1, "threshold 0.6"},
		}, all)
	})
}

// TestQuietFlag holds the scores of a flag without alert, risk and signals.
func TestQuietFlag(t *testing.T) {
	forEach(t, func(t *testing.T, f *fake, d *scoreWriter) {
		require.NoError(t, d.deliver(t.Context(), []*schemas.Flag{{IncidentID: "a", Pass: schemas.PassFast, TraceID: trace}}))
		all, _ := f.state()
		require.Len(t, all, 1)
		require.Equal(t, stored{all[0].entity, "confab.alert", "clear", 0, "the alert rule does not hold"}, all[0])
	})
}

// TestJudge holds that annotations of a judge and of code differ in their kind.
func TestJudge(t *testing.T) {
	f := newFake(t, "Phoenix")
	d := f.open(t)
	flag := flagFor("a", span1)
	flag.Signals[0].Detector = detectors.Names(standard.Deep(standard.Dependencies{}))[0]
	require.NoError(t, d.deliver(t.Context(), []*schemas.Flag{flag}))
	require.Equal(t, 1, strings.Count(f.written(), `"annotator_kind":"LLM"`))
	require.Equal(t, 3, strings.Count(f.written(), `"annotator_kind":"CODE"`))
}

// TestNoMoreText holds that no text but the reasons leaves: with flags.excerpts: none they are the only texts.
func TestNoMoreText(t *testing.T) {
	forEach(t, func(t *testing.T, f *fake, d *scoreWriter) {
		flag := flagFor("a", span1)
		flag.Question = "canary question"
		flag.Attributes = map[string]string{"canary": "canary"}
		flag.Tags = []string{"canary"}
		flag.Grounding = &schemas.Grounding{UngroundedClaimList: []schemas.Claim{{Excerpt: "canary"}}}
		flag.Signals[0].Evidence = []schemas.Evidence{{Excerpt: "canary", Note: "canary", SourceExcerpt: "canary", SourceSays: "canary", Citation: "canary", SourceID: "canary"}}
		flag.Signals[0].Statements = []schemas.Statement{{Text: "canary", Reason: "canary"}}
		flag.Signals[2].Reason = "canary of a signal without a score"
		require.NoError(t, d.deliver(t.Context(), []*schemas.Flag{flag}))
		require.NotContains(t, f.written(), "canary")
		require.Contains(t, f.written(), "1 of 1 claims unsupported")
	})
}

// TestHostileFlag holds limits, valid text and finite numbers, whatever a flag holds.
func TestHostileFlag(t *testing.T) {
	forEach(t, func(t *testing.T, f *fake, d *scoreWriter) {
		flag := flagFor("a\n\"}/../<script>", span1)
		nan := math.NaN()
		flag.Risk, flag.Recommendation = &nan, "\x1b[31m\xff\u202e"
		flag.Calibration = strings.Repeat("c\x00", 200_000)
		flag.DetectedAt = time.Date(20_000, 1, 1, 0, 0, 0, 0, time.UTC)
		flag.Signals = []schemas.Signal{
			{Detector: "nan", Outcome: schemas.Fired, Score: math.NaN()},
			{Detector: "inf", Outcome: schemas.Fired, Score: math.Inf(1)},
			{Detector: "threshold", Outcome: schemas.Fired, Score: 1, Threshold: math.Inf(-1), Reason: "r\u202e\x00\xff\x1b]0;x\x07 see https://evil.example/x?a=1 call jane.doe@example.com 😀"},
			{Detector: "long", Outcome: schemas.Clear, Score: 1, Reason: strings.Repeat("ä😀 \u0301", 50_000)},
			{Detector: "confab.alert", Outcome: schemas.Fired, Score: 0.3},
			{Detector: "näm\xffe/\"'" + strings.Repeat("x", 500), Outcome: schemas.Fired, Score: 0.2},
		}
		for i := range 5000 {
			flag.Signals = append(flag.Signals, schemas.Signal{Detector: fmt.Sprint("d", i%2500), Outcome: schemas.Fired, Score: 0.1})
		}
		require.NoError(t, d.deliver(t.Context(), []*schemas.Flag{flag}))
		all, _ := f.state()
		require.Len(t, all, 100)
		byName := map[string]stored{}
		for _, s := range all {
			require.LessOrEqual(t, len(s.name), 90)
			require.LessOrEqual(t, utf8.RuneCountInString(s.explanation), 1000)
			require.False(t, strings.ContainsAny(s.explanation+s.label+s.name, "\x00\x07\x1b\u202e\ufffd"), "%q", s)
			byName[strings.TrimPrefix(s.name, "confab.")] = s
		}
		require.InDelta(t, 1, byName["alert"].value, 0, "a detector does not replace the alert")
		require.NotContains(t, byName, "risk")
		require.NotContains(t, byName["threshold"].explanation, "https://")
		require.NotContains(t, byName["threshold"].explanation, "jane.doe")
		require.NotContains(t, byName["threshold"].explanation, "Inf")
		require.NotContains(t, f.written(), "<script>")
	})
}

// TestHostileIncidents holds that incidents with ids that backends may refuse stay apart.
func TestHostileIncidents(t *testing.T) {
	for _, kind := range kinds()[:2] { // Opik keeps one score per span and name
		t.Run(kind, func(t *testing.T) {
			f := newFake(t, kind)
			d := f.open(t)
			require.NoError(t, d.deliver(t.Context(), []*schemas.Flag{flagFor("a\n", span1), flagFor("b\n", span1)}))
			all, _ := f.state()
			require.Len(t, all, 8)
		})
	}
}

// TestIDs holds which ids each backend takes, and the reasons for the others.
func TestIDs(t *testing.T) {
	const uuid = "019a1111-2222-7333-8444-555566667777"
	none := "send them with the interaction"
	for _, row := range []struct {
		name, trace, span       string
		phoenix, langfuse, opik string // the entity, or the reason for the rejection
	}{
		{"both", trace, span1, span1, span1, opikIDs()[span1]},
		{"upper case", strings.ToUpper(trace), strings.ToUpper(span1), span1, span1, opikIDs()[span1]},
		{"a trace", trace, "", trace, trace, opikIDs()[trace]},
		{"a trace, no span is zero", trace, "0000000000000000", trace, trace, opikIDs()[trace]},
		{"a span alone", "", span1, span1, "without a trace_id", opikIDs()[span1]},
		{"none", "", "", none, none, none},
		{"zeros", strings.Repeat("0", 32), strings.Repeat("0", 16), none, none, none},
		{"UUIDs", uuid, uuid, "span_id is not 16", uuid, uuid},
		{"a UUID", uuid, "", "trace_id is not 32", uuid, uuid},
		{"ids of another tracer", "req_1", "call-2", "span_id is not 16", "call-2", "span_id is not 16"},
		{"a cut span", trace, span1[:15], "span_id is not 16", span1[:15], "span_id is not 16"},
		{"hostile", "a\r\nb", "", "trace_id is not 32", "letters, digits", "trace_id is not 32"},
		{"long", strings.Repeat("a", 5000), "", "trace_id is not 32", "letters, digits", "trace_id is not 32"},
	} {
		t.Run(row.name, func(t *testing.T) {
			forEach(t, func(t *testing.T, f *fake, d *scoreWriter) {
				want := map[string]string{"Phoenix": row.phoenix, "Langfuse": row.langfuse, "Opik": row.opik}[f.kind]
				flag, good := flagFor("a", row.span), flagFor("b", span4)
				flag.TraceID = row.trace
				err := d.deliver(t.Context(), []*schemas.Flag{flag, good})
				all, _ := f.state()
				if r, ok := errors.AsType[*rejectedError](err); ok {
					require.Len(t, r.flags, 1)
					require.ErrorContains(t, r.flags["a:fast"], want)
					require.Len(t, all, 4, "the other flag is written")
					return
				}
				require.NoError(t, err)
				entities := map[string]int{}
				for _, s := range all {
					entities[s.entity]++
				}
				require.Equal(t, 4, entities[want], "%v", entities)
				require.Len(t, all, 8)
			})
		})
	}
}

// TestMissingSpans holds how long a span may be missing. Langfuse takes scores of spans that it does not have.
func TestMissingSpans(t *testing.T) {
	start := time.Date(2026, 11, 1, 12, 0, 0, 0, time.UTC)
	for _, kind := range []string{"Phoenix", "Opik"} {
		open := func(t *testing.T) (*fake, *scoreWriter, *clock) {
			t.Helper()
			f, now := newFake(t, kind), &clock{start}
			d := f.open(t)
			d.now = now.read
			return f, d, now
		}
		flags := func() []*schemas.Flag {
			early, late := flagFor("a", span1), flagFor("b", span2)
			early.DetectedAt, late.DetectedAt = start, start
			return []*schemas.Flag{early, late}
		}
		t.Run(kind+", it arrives", func(t *testing.T) {
			f, d, _ := open(t)
			f.lose(span1)
			err := d.deliver(t.Context(), flags())
			require.Equal(t, temporary, outcomeOf(err))
			require.ErrorContains(t, err, "1 flags wait for their traces to arrive in "+kind)
			all, _ := f.state()
			require.Len(t, all, 4, "the other flag is written meanwhile")
			f.lose()
			require.NoError(t, d.deliver(t.Context(), flags()))
			all, _ = f.state()
			require.Len(t, all, 8)
		})
		t.Run(kind+", it never arrives", func(t *testing.T) {
			f, d, now := open(t)
			f.lose(span1)
			now.now = start.Add(2*time.Minute - time.Second)
			require.Equal(t, temporary, outcomeOf(d.deliver(t.Context(), flags())))
			now.now = start.Add(2 * time.Minute)
			r, ok := errors.AsType[*rejectedError](d.deliver(t.Context(), flags()))
			require.True(t, ok)
			require.Len(t, r.flags, 1)
			require.ErrorContains(t, r.flags["a:fast"], "does not have the span 2m0s after the detection")
		})
		t.Run(kind+", a trace", func(t *testing.T) {
			f, d, _ := open(t)
			f.lose(trace)
			whole := flags()
			whole[0].SpanID = ""
			require.ErrorContains(t, d.deliver(t.Context(), whole), "1 flags wait for their traces")
			f.lose()
			require.NoError(t, d.deliver(t.Context(), whole))
			all, _ := f.state()
			require.Len(t, all, 8)
		})
		t.Run(kind+", none has arrived", func(t *testing.T) {
			f, d, now := open(t)
			f.lose(span1, span2)
			require.Equal(t, temporary, outcomeOf(d.deliver(t.Context(), flags())))
			now.now = start.Add(time.Hour)
			require.Equal(t, rejected, outcomeOf(d.deliver(t.Context(), flags())))
		})
		t.Run(kind+", after an outage", func(t *testing.T) {
			f, d, now := open(t)
			f.lose(span1)
			f.answer(status(503, ""))
			now.now = start.Add(time.Hour)
			require.Equal(t, temporary, outcomeOf(d.deliver(t.Context(), flags())))
			f.answer(nil)
			require.Equal(t, temporary, outcomeOf(d.deliver(t.Context(), flags())), "the traces were held up, too")
			now.now = now.now.Add(2 * time.Minute)
			require.Equal(t, rejected, outcomeOf(d.deliver(t.Context(), flags())))
		})
		t.Run(kind+", a clock ahead", func(t *testing.T) {
			f, d, _ := open(t)
			f.lose(span1)
			wrong := flags()
			wrong[0].DetectedAt = start.AddDate(1, 0, 0)
			require.Equal(t, rejected, outcomeOf(d.deliver(t.Context(), wrong)))
		})
	}
}

// TestOpikSearch holds the replies to a search: only Opik has one.
func TestOpikSearch(t *testing.T) {
	for _, row := range []struct {
		name, body string
		code       int
		want       outcome
	}{
		{"the project is not there yet", `{"message":"not found"}`, 404, temporary},
		{"a wrong path", "<html>", 404, temporary},
		{"a login page", "<html>", 200, temporary},
		{"another API", `{"items":[]}`, 200, temporary},
		{"no login", `{}`, 401, temporary},
		{"refused", `{}`, 400, rejected},
		{"overload", `{}`, 503, temporary},
	} {
		t.Run(row.name, func(t *testing.T) {
			f := newFake(t, "Opik")
			f.search = func(w http.ResponseWriter) bool { return status(row.code, row.body)(w, nil) }
			d := f.open(t)
			require.Equal(t, row.want, outcomeOf(d.deliver(t.Context(), []*schemas.Flag{flagFor("a", span1)})))
			_, requests := f.state()
			require.Zero(t, requests)
		})
	}
}

// TestOpikSearchOnce holds that a delivery searches once for each span.
func TestOpikSearchOnce(t *testing.T) {
	f := newFake(t, "Opik")
	d := f.open(t)
	require.NoError(t, d.deliver(t.Context(), []*schemas.Flag{flagFor("a", span1), flagFor("b", span2), flagFor("c", span1)}))
	require.Equal(t, 2, f.searches)
}
