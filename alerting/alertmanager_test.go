package alerting

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

	"confab/internal/golden"
	"confab/schemas"
)

// noon is the present of these tests.
func noon() time.Time { return time.Date(2026, 11, 21, 12, 0, 0, 0, time.UTC) }

func manager(t *testing.T, look RenderOptions) *Alertmanager {
	t.Helper()
	a, err := NewAlertmanager(AlertmanagerOptions{
		URL: "http://alertmanager:9093", Resolve: 2 * time.Hour, Now: noon, RenderOptions: look,
	})
	require.NoError(t, err)
	return a
}

// many is a message about a group, as it stands after a while.
func many() schemas.Alert {
	return schemas.Alert{
		Kind: schemas.AlertGroup, Message: messageID, Lane: schemas.LaneHigh, Tenant: "acme", Flag: sample(), Count: 38, Earlier: 4,
		First: noon().Add(-10 * time.Minute), Last: noon().Add(-time.Minute), Models: []string{"gpt-4o", "gpt-4o-mini"},
		Groups: []schemas.GroupCount{{
			Group: schemas.AlertGroupLabels{Tenant: "acme", Service: "support-bot", Detectors: []string{"grounding", "citation"}}, Count: 38,
		}},
	}
}

// aDigest is a digest of incidents that were found long ago.
func aDigest() schemas.Alert {
	return schemas.Alert{
		Kind: schemas.AlertDigest, Cause: schemas.DigestStale, Message: messageID, Lane: schemas.LaneNormal, Tenant: "acme",
		Flag: sample(), Count: 120, First: noon().Add(-7 * time.Hour), Last: noon().Add(-2 * time.Hour), More: 3,
		Groups: []schemas.GroupCount{
			{Group: schemas.AlertGroupLabels{Tenant: "acme", Service: "support-bot"}, Count: 100},
			{Group: schemas.AlertGroupLabels{Tenant: "acme", Service: "search"}, Count: 17},
		},
	}
}

// aBroken is an alert about a detector that fires too often.
func aBroken() schemas.Alert {
	return schemas.Alert{
		Kind: schemas.AlertBroken, Message: messageID, Tenant: "acme", Detector: "technical", Share: 0.83, Flag: sample(), Count: 1, First: noon(),
	}
}

// TestAlertmanagerSaysWhatACardSays: people behind Alertmanager read no less than those in Slack.
func TestAlertmanagerSaysWhatACardSays(t *testing.T) {
	labelled := many()
	labelled.Feedback = []schemas.Feedback{{Verdict: schemas.Confirmed, User: "U012AB3CD", Source: schemas.FromSlack, At: noon()}}
	for name, tt := range map[string]struct {
		alert schemas.Alert
		want  []string
	}{
		"group":    {many(), []string{"×38", "+4 told before", "Models: gpt-4o; gpt-4o-mini", "bridge", "citation 0.91"}},
		"labelled": {labelled, []string{"confirmed by U012AB3CD"}},
		"digest":   {aDigest(), []string{"120 possible hallucinations", "100 × support-bot", "17 × search", "and 3 more groups with 3 incidents"}},
		"broken":   {aBroken(), []string{"Detector may be broken: technical", "83 %", "What to do"}},
	} {
		t.Run(name, func(t *testing.T) {
			p := manager(t, RenderOptions{}).postable(&tt.alert)
			for _, want := range tt.want {
				require.Contains(t, p.Annotations["summary"]+"\n"+p.Annotations["description"], want)
			}
		})
	}
}

func TestAlertmanagerGolden(t *testing.T) {
	look := RenderOptions{TraceURL: "https://traces.example/t/{trace_id}", RunbookURL: "https://runbooks.example/confab"}
	for name, alert := range map[string]schemas.Alert{
		"group": many(), "digest": aDigest(), "broken": aBroken(), "bare": {Flag: sample()},
	} {
		t.Run(name, func(t *testing.T) {
			p := manager(t, look).postable(&alert)
			require.NotEmpty(t, p.Annotations["summary"]) // what the card says has golden files of its own
			require.NotEmpty(t, p.Annotations["description"])
			delete(p.Annotations, "summary")
			delete(p.Annotations, "description")
			raw, err := json.MarshalIndent(p, "", "  ")
			require.NoError(t, err)
			golden.Equal(t, "testdata/alertmanager_"+name+".json", append(raw, '\n'))
		})
	}
}

// TestAlertmanagerLabelsIdentify: what a message says changes while it lives, its labels do not; another one has others.
func TestAlertmanagerLabelsIdentify(t *testing.T) {
	alert := many()
	labels := labelsOf(&alert)
	later := many()
	later.Flag.Pass, later.Flag.Fired = schemas.PassDeep, []string{"citation", "judge"}
	later.Flag.Model, later.Count, later.Last, later.MayRepeat = "gpt-5", 90, noon(), true
	later.Models, later.Feedback = []string{"x"}, []schemas.Feedback{{Verdict: schemas.Confirmed}}
	require.Equal(t, labels, labelsOf(&later))
	later.Message = strings.Repeat("a", 32)
	require.NotEqual(t, labels, labelsOf(&later))
}

// TestAlertmanagerTimes: an alert whose end is past when it arrives tells nobody, and one that ends before it starts is
// refused.
func TestAlertmanagerTimes(t *testing.T) {
	hour := time.Hour
	for name, tt := range map[string]struct{ first, last, start time.Duration }{
		"just now":        {-time.Minute, 0, -time.Minute},
		"long ago":        {-9 * hour, -8 * hour, -9 * hour},
		"clocks differ":   {hour, hour, 0},
		"nobody knows it": {},
	} {
		t.Run(name, func(t *testing.T) {
			alert := many()
			alert.First, alert.Last = noon().Add(tt.first), noon().Add(tt.last)
			if tt.first == 0 {
				alert.First, alert.Last = time.Time{}, time.Time{}
			}
			p := manager(t, RenderOptions{}).postable(&alert)
			require.Equal(t, noon().Add(tt.start), p.StartsAt)
			require.Equal(t, noon().Add(2*hour), p.EndsAt)
		})
	}
}

func TestAlertmanagerEditsThePostedAlert(t *testing.T) {
	s := newFakeSlack(t, nil, nil, answer(http.StatusBadRequest, echo))
	a, err := NewAlertmanager(AlertmanagerOptions{URL: s.URL + alertsPath + "/", Username: "confab", Password: password, SendOptions: s.options()})
	require.NoError(t, err)
	defer a.Close()
	alert := many()
	at, err := a.Notify(t.Context(), alert)
	require.NoError(t, err)
	require.Equal(t, schemas.Receipt{Timestamp: messageID}, at)
	alert.Count = 39
	require.NoError(t, a.Edit(t.Context(), alert, at))
	require.NoError(t, a.Edit(t.Context(), alert, at)) // refused at first

	var sent []postable
	for i, body := range s.bodies {
		user, pass, _ := s.posts[i].BasicAuth()
		require.Equal(t, "confab "+password, user+" "+pass)
		require.Equal(t, "application/json", s.posts[i].Header.Get("Content-Type"))
		var p []postable
		require.NoError(t, json.Unmarshal([]byte(body), &p))
		require.Len(t, p, 1)
		require.Equal(t, labelsOf(&alert), p[0].Labels, "an edit, and the minimal form, is the same alert")
		sent = append(sent, p...)
	}
	require.Equal(t, "38", sent[0].Annotations["count"])
	require.Equal(t, "39", sent[1].Annotations["count"])
	require.Equal(t, incident, sent[3].Annotations["incident_id"])
	require.Contains(t, sent[3].Annotations["summary"], "Possible hallucination")
	require.Len(t, sent[3].Annotations, 2)
}

// TestAlertmanagerRepeatsNothing: the same alert again is the same alert, so nothing says that it may repeat, and no post
// waits for another.
func TestAlertmanagerRepeatsNothing(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		start := time.Now()
		var bodies []string
		a, err := NewAlertmanager(AlertmanagerOptions{URL: "http://am:9093", SendOptions: SendOptions{
			Transport: roundTrip(func(r *http.Request) (*http.Response, error) {
				body, _ := io.ReadAll(r.Body)
				bodies = append(bodies, string(body))
				status := http.StatusBadRequest // both forms are seen
				return &http.Response{StatusCode: status, Header: http.Header{}, Body: http.NoBody, Request: r}, nil
			}),
		}})
		require.NoError(t, err)
		alert := many()
		alert.MayRepeat = true
		for range 3 {
			_, err = a.Notify(t.Context(), alert)
			require.Error(t, err)
		}
		require.Zero(t, time.Since(start))
		require.Len(t, bodies, 6)
		require.NotContains(t, strings.ToLower(strings.Join(bodies, "")), "may repeat")
	})
}

// TestAlertmanagerStaysInert: receivers behind Alertmanager may parse markup, so nothing that others wrote may be any.
func TestAlertmanagerStaysInert(t *testing.T) {
	for i, p := range payloads() {
		t.Run(fmt.Sprintf("%02d", i), func(t *testing.T) {
			for _, kind := range []schemas.AlertKind{schemas.AlertGroup, schemas.AlertDigest, schemas.AlertBroken} {
				alert := schemas.Alert{
					Kind: kind, Message: p, Tenant: p, Flag: hostile(p), Detector: p, Cause: schemas.DigestCause(p), Models: []string{p},
					Feedback: []schemas.Feedback{{User: p, Comment: p, Verdict: schemas.Confirmed}},
					Groups:   []schemas.GroupCount{{Group: schemas.AlertGroupLabels{Tenant: p, Service: p, Model: p, Detectors: []string{p}}}},
				}
				got := manager(t, RenderOptions{}).postable(&alert)
				for _, texts := range []map[string]string{got.Labels, got.Annotations, got.minimal().Annotations} {
					for name, text := range texts {
						require.NotEmpty(t, text, "%s: an empty label is none", name)
						require.NotContains(t, text, "<")
						require.NotContains(t, text, "@")
						require.True(t, utf8.ValidString(text), "Alertmanager refuses what is no UTF-8")
						require.LessOrEqual(t, utf16Length(text), maxDescription)
						inert(t, text)
					}
				}
				require.Empty(t, got.GeneratorURL)
			}
		})
	}
}

func TestAlertmanagerHidesExcerpts(t *testing.T) {
	alert := many()
	shown, err := json.Marshal(manager(t, RenderOptions{}).postable(&alert))
	require.NoError(t, err)
	require.Contains(t, string(shown), "bridge")
	hidden, err := json.Marshal(manager(t, RenderOptions{HideExcerpts: true}).postable(&alert))
	require.NoError(t, err)
	require.NotContains(t, string(hidden), "bridge")
}

// Where a tenant's name is taken from a header, somebody may call himself nearly as a tenant is called. Alertmanager routes
// by the label, so it never has the label of the other one.
func TestNoTenantIsTakenForAnother(t *testing.T) {
	bank := labelsOf(&schemas.Alert{Tenant: "bank"})["tenant"]
	require.Equal(t, "bank", bank)
	for _, name := range spoofs() {
		require.NotEqual(t, bank, labelsOf(&schemas.Alert{Tenant: name})["tenant"], "%q", name)
	}
}
