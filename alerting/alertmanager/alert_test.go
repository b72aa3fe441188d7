package alertmanager

import (
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"strings"
	"testing"
	"testing/synctest"
	"time"
	"unicode/utf8"

	"github.com/stretchr/testify/require"

	"confab/alerting/alerttest"
	"confab/alerting/alerttest/samples"
	"confab/alerting/card"
	"confab/alerting/httpsend"
	"confab/internal/golden"
	"confab/schemas"
)

func newTestNotifier(t *testing.T, render card.RenderOptions) *Notifier {
	t.Helper()
	a := New(Options{
		URL: "http://alertmanager:9093", Resolve: 2 * time.Hour, Now: samples.Noon, RenderOptions: render,
	})
	return a
}

// The description holds the content of the Slack message.
func TestAlertmanagerDescription(t *testing.T) {
	labelled := samples.RunningAlert()
	labelled.Feedback = []schemas.Feedback{{Verdict: schemas.Wrong, User: "U012AB3CD", Source: schemas.FromSlack, At: samples.Noon()}}
	for name, tt := range map[string]struct {
		alert schemas.Alert
		want  []string
	}{
		"group":    {samples.RunningAlert(), []string{"×38", "4 earlier incidents", "gpt-4o, gpt-4o-mini", "bridge", "Source says: “Its opening in 1935"}},
		"labelled": {labelled, []string{"wrong by U012AB3CD"}},
		"digest":   {samples.StaleDigest(), []string{"120 possible hallucinations", "100 × support-bot", "17 × search", "and 3 more groups with 3 incidents"}},
	} {
		t.Run(name, func(t *testing.T) {
			p := newTestNotifier(t, card.RenderOptions{}).postable(&tt.alert)
			for _, want := range tt.want {
				require.Contains(t, p.Annotations["summary"]+"\n"+p.Annotations["description"], want)
			}
		})
	}
}

func TestAlertmanagerGolden(t *testing.T) {
	look := card.RenderOptions{TraceURL: "https://traces.example/t/{trace_id}", RunbookURL: "https://runbooks.example/confab"}
	for name, alert := range map[string]schemas.Alert{
		"group": samples.RunningAlert(), "digest": samples.StaleDigest(), "bare": {Flag: samples.Flag()}, "notice": samples.Notice(),
	} {
		t.Run(name, func(t *testing.T) {
			p := newTestNotifier(t, look).postable(&alert)
			require.NotEmpty(t, p.Annotations["summary"]) // cards have their own golden files
			require.NotEmpty(t, p.Annotations["description"])
			delete(p.Annotations, "summary")
			delete(p.Annotations, "description")
			raw, err := json.MarshalIndent(p, "", "  ")
			require.NoError(t, err)
			golden.Equal(t, "testdata/alertmanager_"+name+".json", append(raw, '\n'))
		})
	}
}

// TestAlertmanagerLabelsIdentify: edits of a message have equal labels, other messages have other labels.
func TestAlertmanagerLabelsIdentify(t *testing.T) {
	alert := samples.RunningAlert()
	labels := alertLabels(&alert)
	later := samples.RunningAlert()
	later.Flag.Pass, later.Flag.Fired = schemas.PassDeep, []string{"citation", "judge"}
	later.Flag.Model, later.Count, later.Last, later.PossiblyDuplicated = "gpt-5", 90, samples.Noon(), true
	later.Models, later.Feedback = []string{"x"}, []schemas.Feedback{{Verdict: schemas.Wrong}}
	require.Equal(t, labels, alertLabels(&later))
	later.Message = strings.Repeat("a", 32)
	require.NotEqual(t, labels, alertLabels(&later))
}

// TestAlertmanagerTimes: Alertmanager does not notify about an alert that has ended, and rejects one that ends before it
// starts.
func TestAlertmanagerTimes(t *testing.T) {
	hour := time.Hour
	for name, tt := range map[string]struct{ first, last, start time.Duration }{
		"just now":      {-time.Minute, 0, -time.Minute},
		"long ago":      {-9 * hour, -8 * hour, -9 * hour},
		"clocks differ": {hour, hour, 0},
		"unknown":       {},
	} {
		t.Run(name, func(t *testing.T) {
			alert := samples.RunningAlert()
			alert.First, alert.Last = samples.Noon().Add(tt.first), samples.Noon().Add(tt.last)
			if tt.first == 0 {
				alert.First, alert.Last = time.Time{}, time.Time{}
			}
			p := newTestNotifier(t, card.RenderOptions{}).postable(&alert)
			require.Equal(t, samples.Noon().Add(tt.start), p.StartsAt)
			require.Equal(t, samples.Noon().Add(2*hour), p.EndsAt)
		})
	}
}

func TestAlertmanagerEditsThePostedAlert(t *testing.T) {
	s := alerttest.NewFakeServer(t, nil, nil, alerttest.Answer(http.StatusBadRequest, alerttest.EchoedSecrets))
	a := New(Options{URL: s.URL + alerttest.AlertsPath + "/", Username: "confab", Password: alerttest.Password, Options: s.Options()})
	defer a.Close()
	alert := samples.RunningAlert()
	at, err := a.Notify(t.Context(), alert)
	require.NoError(t, err)
	require.Equal(t, schemas.Receipt{Timestamp: samples.MessageID}, at)
	alert.Count = 39
	require.NoError(t, a.Edit(t.Context(), alert, at))
	require.NoError(t, a.Edit(t.Context(), alert, at)) // rejected at first

	var sent []postableAlert
	for i, body := range s.Bodies {
		user, pass, _ := s.Posts[i].BasicAuth()
		require.Equal(t, "confab "+alerttest.Password, user+" "+pass)
		require.Equal(t, "application/json", s.Posts[i].Header.Get("Content-Type"))
		var p []postableAlert
		require.NoError(t, json.Unmarshal([]byte(body), &p))
		require.Len(t, p, 1)
		require.Equal(t, alertLabels(&alert), p[0].Labels, "an edit and the minimal form have equal labels")
		sent = append(sent, p...)
	}
	require.Equal(t, "38", sent[0].Annotations["count"])
	require.Equal(t, "39", sent[1].Annotations["count"])
	require.Equal(t, samples.IncidentID, sent[3].Annotations["incident_id"])
	require.Contains(t, sent[3].Annotations["summary"], "Possible hallucination")
	require.Len(t, sent[3].Annotations, 2)
}

// Repeated alerts are the same alert: they are never possible duplicates, and posts do not wait for each other.
func TestAlertmanagerIsIdempotent(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		start := time.Now()
		var bodies []string
		a := New(Options{URL: "http://am:9093", Options: httpsend.Options{
			Transport: alerttest.RoundTripFunc(func(r *http.Request) (*http.Response, error) {
				body, _ := io.ReadAll(r.Body)
				bodies = append(bodies, string(body))
				status := http.StatusBadRequest // for both forms
				return &http.Response{StatusCode: status, Header: http.Header{}, Body: http.NoBody, Request: r}, nil
			}),
		}})
		alert := samples.RunningAlert()
		alert.PossiblyDuplicated = true
		for range 3 {
			_, err := a.Notify(t.Context(), alert)
			require.Error(t, err)
		}
		require.Zero(t, time.Since(start))
		require.Len(t, bodies, 6)
		require.NotContains(t, strings.ToLower(strings.Join(bodies, "")), "duplicate")
	})
}

// TestAlertmanagerStaysInert: receivers of Alertmanager may parse markup, so untrusted text must not contain any.
func TestAlertmanagerStaysInert(t *testing.T) {
	for i, p := range samples.HostileTexts() {
		t.Run(fmt.Sprintf("%02d", i), func(t *testing.T) {
			for _, kind := range []schemas.AlertKind{schemas.AlertGroup, schemas.AlertDigest} {
				alert := schemas.Alert{
					Kind: kind, Message: p, Tenant: p, Flag: samples.HostileFlag(p), Cause: schemas.DigestCause(p), Models: []string{p},
					Feedback: []schemas.Feedback{{User: p, Comment: p, Verdict: schemas.Wrong}},
					Groups:   []schemas.GroupCount{{Group: schemas.AlertGroupLabels{Tenant: p, Service: p, Model: p, Detectors: []string{p}}}},
				}
				got := newTestNotifier(t, card.RenderOptions{}).postable(&alert)
				for _, texts := range []map[string]string{got.Labels, got.Annotations, got.minimal().Annotations} {
					for name, text := range texts {
						require.NotEmpty(t, text, "%s: an empty label is none", name)
						require.NotContains(t, text, "<")
						require.NotContains(t, text, "@")
						require.True(t, utf8.ValidString(text), "Alertmanager rejects invalid UTF-8")
						require.LessOrEqual(t, samples.UTF16Length(text), maxDescription)
						samples.RequireInert(t, text)
					}
				}
				require.Empty(t, got.GeneratorURL)
			}
		})
	}
}

func TestAlertmanagerHidesExcerpts(t *testing.T) {
	alert := samples.RunningAlert()
	shown, err := json.Marshal(newTestNotifier(t, card.RenderOptions{}).postable(&alert))
	require.NoError(t, err)
	require.Contains(t, string(shown), "bridge")
	hidden, err := json.Marshal(newTestNotifier(t, card.RenderOptions{HideExcerpts: true}).postable(&alert))
	require.NoError(t, err)
	require.NotContains(t, string(hidden), "bridge")
}

// Producers may send names similar to that of a tenant. Alertmanager routes by the label, so similar names have different
// labels.
func TestSimilarTenantsHaveDifferentLabels(t *testing.T) {
	bank := alertLabels(&schemas.Alert{Tenant: "bank"})["tenant"]
	require.Equal(t, "bank", bank)
	for _, name := range samples.LookalikeTenants() {
		require.NotEqual(t, bank, alertLabels(&schemas.Alert{Tenant: name})["tenant"], "%q", name)
	}
}
