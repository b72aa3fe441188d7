package export

import (
	"errors"
	"fmt"
	"io"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"confab/schemas"
)

const (
	span1, span2, span3, span4 = "00f067aa0ba902b1", "00f067aa0ba902b2", "00f067aa0ba902b3", "00f067aa0ba902b4"
	trace                      = "4bf92f3577b34da6a3ce929d0e0e4736"
)

// flagFor is a flag with four scores: two measured signals, the risk and the alert.
func flagFor(incident, span string) *schemas.Flag {
	risk := 0.81
	return &schemas.Flag{
		IncidentID: incident, Pass: schemas.PassFast, TraceID: trace, SpanID: span, DetectedAt: time.Now(), Risk: &risk,
		Recommendation: schemas.Block, Alert: true, Fired: []string{"grounding"}, Calibration: "2026-11-01", WorkerVersion: "1.2.3",
		Signals: []schemas.Signal{
			{Detector: "grounding", Outcome: schemas.Fired, Score: 0.93, Threshold: 0.5, Type: schemas.Factual, Reason: "1 of 1 claims unsupported"},
			{Detector: "citation", Outcome: schemas.Clear, Score: 0.1, Threshold: 0.6},
			{Detector: "schema", Outcome: schemas.NotCheckable, Reason: "no schema"},
			{Detector: "pii", Outcome: schemas.Skipped, Score: 0.4},
			{Detector: "web", Outcome: schemas.Failed, Score: 0.4},
		},
	}
}

type outcome int

const (
	delivered outcome = iota
	rejected
	temporary
)

func outcomeOf(err error) outcome {
	switch _, isRejection := errors.AsType[*rejectedError](err); {
	case err == nil:
		return delivered
	case isRejection:
		return rejected
	default:
		return temporary
	}
}

// status answers every request that writes with a status and a body.
func status(code int, body string, header ...string) func(http.ResponseWriter, []byte) bool {
	return func(w http.ResponseWriter, _ []byte) bool {
		for i := 0; i < len(header); i += 2 {
			w.Header().Set(header[i], header[i+1])
		}
		w.WriteHeader(code)
		_, _ = io.WriteString(w, body)
		return true
	}
}

const anyBody = `{"id":"x","data":[{"id":"x"}],"message":"canary-reply"}`

// TestStatus holds what a reply to a write means, the same for every backend: delivered, rejected for good or temporary.
func TestStatus(t *testing.T) {
	for _, row := range []struct {
		name  string
		reply func(http.ResponseWriter, []byte) bool
		want  outcome
		text  string // of the error
	}{
		{"200", status(200, anyBody), delivered, ""},
		{"201", status(201, anyBody), delivered, ""},
		{"200, a login page", status(200, "<html>canary-reply"), temporary, "set export."},
		{"201, cut off", cutOff, temporary, ""},
		{"301", status(301, "", "Location", "/elsewhere"), temporary, "redirects are not followed"},
		{"307", status(307, "", "Location", "/elsewhere"), temporary, "redirects are not followed"},
		{"400", status(400, anyBody), rejected, "HTTP status 400"},
		{"401", status(401, anyBody), temporary, "correct the credentials under export."},
		{"403", status(403, anyBody), temporary, "correct the credentials under export."},
		{"404, a wrong path", status(404, `{"detail":"Not Found"}`), temporary, "base address of the API"},
		{"405", status(405, anyBody), temporary, "HTTP status 405"},
		{"408", status(408, anyBody), temporary, "HTTP status 408"},
		{"409", status(409, anyBody), rejected, "HTTP status 409"},
		{"410", status(410, anyBody), temporary, "base address of the API"},
		{"413", status(413, anyBody), rejected, "HTTP status 413"},
		{"422", status(422, anyBody), rejected, "HTTP status 422"},
		{"429", status(429, anyBody), temporary, "HTTP status 429"},
		{"500", status(500, anyBody), temporary, "HTTP status 500"},
		{"502", status(502, "<html>canary-reply"), temporary, "HTTP status 502"},
		{"503", status(503, anyBody), temporary, "HTTP status 503"},
		{"504", status(504, anyBody), temporary, "HTTP status 504"},
		{"connection reset", func(http.ResponseWriter, []byte) bool { panic(http.ErrAbortHandler) }, temporary, "write scores to "},
	} {
		t.Run(row.name, func(t *testing.T) {
			forEach(t, func(t *testing.T, f *fake, d *scoreWriter) {
				flags := []*schemas.Flag{flagFor("a", span1), flagFor("b", span2)}
				f.answer(row.reply)
				err := d.deliver(t.Context(), flags)
				require.Equal(t, row.want, outcomeOf(err), "%v", err)
				if row.text != "" {
					require.ErrorContains(t, err, row.text)
				}
				for _, text := range []string{fmt.Sprintf("%v %+v %#v", err, err, err), fmt.Sprintf("%+v %#v", d, d)} {
					assert.NotContains(t, text, secret)
					assert.NotContains(t, text, "canary-reply")
				}
				if r, ok := errors.AsType[*rejectedError](err); ok {
					require.Len(t, r.flags, 2)
					require.Contains(t, r.flags, "a:fast")
				}
				f.answer(nil)
				require.NoError(t, d.deliver(t.Context(), flags), "the backend has recovered")
				all, _ := f.state()
				require.Len(t, all, 8)
			})
		})
	}
}

func cutOff(w http.ResponseWriter, _ []byte) bool {
	w.Header().Set("Content-Length", "1000")
	w.WriteHeader(http.StatusCreated)
	_, _ = io.WriteString(w, `{"data":[`)
	return true
}

func TestTimeout(t *testing.T) {
	forEach(t, func(t *testing.T, f *fake, d *scoreWriter) {
		d.timeout, d.http.Transport = 30*time.Millisecond, silentTransport{}
		err := d.deliver(t.Context(), []*schemas.Flag{flagFor("a", span1)})
		require.Equal(t, temporary, outcomeOf(err))
		require.ErrorContains(t, err, "no reply in time")
		require.NotContains(t, err.Error(), f.url)
	})
}

type silentTransport struct{}

func (silentTransport) RoundTrip(r *http.Request) (*http.Response, error) {
	<-r.Context().Done()
	return nil, r.Context().Err()
}

func TestRetryAfter(t *testing.T) {
	now := time.Now()
	date := func(d time.Duration) string { return now.Add(d).UTC().Format(http.TimeFormat) }
	for _, row := range []struct {
		name, value string
		code        int
		want        time.Duration
	}{
		{"seconds", "7", 429, 7 * time.Second},
		{"seconds of an overloaded server", "9", 503, 9 * time.Second},
		{"a date", date(90 * time.Second), 429, 90 * time.Second},
		{"none", "", 429, 0},
		{"words", "soon", 429, 0},
		{"the past", date(-time.Hour), 503, 0},
		{"a year", "31536000", 429, maxWait},
		{"not with a refusal", "7", 401, 0},
	} {
		t.Run(row.name, func(t *testing.T) {
			forEach(t, func(t *testing.T, f *fake, d *scoreWriter) {
				f.answer(status(row.code, "", "Retry-After", row.value, "Date", date(0)))
				err := d.deliver(t.Context(), []*schemas.Flag{flagFor("a", span1)})
				after, ok := errors.AsType[*pauseError](err)
				require.Equal(t, row.want > 0, ok, "%v", err)
				if ok {
					require.Equal(t, row.want, after.after)
					require.NotContains(t, err.Error(), "retry after", "said twice")
				}
				require.Equal(t, temporary, outcomeOf(err))
				_, requests := f.state()
				require.Equal(t, 1, requests, "no request follows one that the server delays")
			})
		})
	}
}

// TestRefusedFlag holds that a flag which the backend refuses does not take others with it, whatever the size of the batch.
func TestRefusedFlag(t *testing.T) {
	for _, code := range []int{400, 409, 413, 422} {
		t.Run(fmt.Sprint(code), func(t *testing.T) {
			forEach(t, func(t *testing.T, f *fake, d *scoreWriter) {
				f.answer(func(w http.ResponseWriter, body []byte) bool {
					return strings.Contains(string(body), "the bad one") && status(code, anyBody)(w, body)
				})
				var flags []*schemas.Flag
				for i := range 40 {
					flags = append(flags, flagFor(fmt.Sprint("incident", i), span1))
				}
				flags[17].Signals[0].Reason = "the bad one"
				flags[17].SpanID = span2
				err := d.deliver(t.Context(), flags)
				r, ok := errors.AsType[*rejectedError](err)
				require.True(t, ok, "%v", err)
				require.Len(t, r.flags, 1)
				require.ErrorContains(t, r.flags["incident17:fast"], fmt.Sprint(code))
				all, requests := f.state()
				require.LessOrEqual(t, requests, 160)
				bad := 0
				for _, s := range all {
					if !strings.HasSuffix(s.entity, "02b1") && s.entity != opikIDs()[span1] {
						bad++
					}
				}
				require.Equal(t, 3, bad, "the other scores of the refused flag")
				require.Greater(t, len(all), 3)
			})
		})
	}
}

// TestTooLarge holds that a batch which is too large is divided.
func TestTooLarge(t *testing.T) {
	forEach(t, func(t *testing.T, f *fake, d *scoreWriter) {
		f.answer(func(w http.ResponseWriter, body []byte) bool { return len(body) > 3000 && status(413, "")(w, body) })
		var flags []*schemas.Flag
		for i := range 20 {
			flags = append(flags, flagFor(fmt.Sprint("incident", i), []string{span1, span2, span3, span4}[i%4]))
		}
		require.NoError(t, d.deliver(t.Context(), flags))
		all, _ := f.state()
		if f.kind == "Opik" { // one score per span and name
			require.Len(t, all, 16)
		} else {
			require.Len(t, all, 80)
		}
	})
}

// TestRepeat holds that a repeat replaces, that a copy in one batch is written once, and that the passes do not.
func TestRepeat(t *testing.T) {
	forEach(t, func(t *testing.T, f *fake, d *scoreWriter) {
		old, changed, deep := flagFor("a", span1), flagFor("a", span1), flagFor("a", span1)
		changed.Signals[0].Score, deep.Pass = 0.55, schemas.PassDeep
		require.NoError(t, d.deliver(t.Context(), []*schemas.Flag{old}))
		require.NoError(t, d.deliver(t.Context(), []*schemas.Flag{old, deep, changed}))
		all, requests := f.state()
		require.Len(t, all, 8)
		require.Equal(t, map[string]int{"Phoenix": 2, "Langfuse": 4 + 8, "Opik": 2}[f.kind], requests)
		values := map[float64]int{}
		for _, s := range all {
			if strings.HasSuffix(strings.TrimSuffix(s.name, ".deep"), "grounding") {
				values[s.value]++
			}
		}
		require.Equal(t, map[float64]int{0.55: 1, 0.93: 1}, values)
	})
}
