package pagerduty

import (
	"encoding/json"
	"fmt"
	"net/http"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/stretchr/testify/require"

	"confab/alerting"
	"confab/alerting/alerttest"
	"confab/alerting/alerttest/samples"
	"confab/alerting/card"
	"confab/internal/golden"
	"confab/schemas"
)

// groupAlert is an alert of a group with a key.
func groupAlert() schemas.Alert {
	a := samples.RunningAlert()
	a.Group = strings.Repeat("ab", 16)
	return a
}

func TestEventGolden(t *testing.T) {
	for name, alert := range map[string]schemas.Alert{"group": groupAlert(), "digest": samples.StaleDigest(), "broken": samples.RunningBroken()} {
		t.Run(name, func(t *testing.T) {
			raw, err := json.MarshalIndent(trigger(&alert, alerttest.RenderAll()), "", "  ")
			require.NoError(t, err)
			golden.Equal(t, "testdata/"+name+".json", append(raw, '\n'))
		})
	}
}

// TestOneIncidentPerGroup: all messages of a group continue one incident; a person's label acknowledges it, its end resolves it.
func TestOneIncidentPerGroup(t *testing.T) {
	s := alerttest.NewFakeServer(t)
	n, err := New(Options{RoutingKey: alerttest.Password, URL: s.URL + alerttest.EventsPath + "/", Options: s.Options()})
	require.NoError(t, err)
	defer n.Close()
	first, later, labelled := groupAlert(), groupAlert(), groupAlert()
	later.Message, later.Count = strings.Repeat("e", 32), 90
	labelled.Feedback = []schemas.Feedback{{Verdict: schemas.Confirmed, User: "U1"}}
	at, err := n.Notify(t.Context(), first)
	require.NoError(t, err)
	require.NoError(t, n.Edit(t.Context(), later, at))
	require.NoError(t, n.Edit(t.Context(), labelled, at))
	require.NoError(t, n.Resolve(t.Context(), first))
	want := []string{"trigger", "trigger", "acknowledge", "resolve"}
	require.Len(t, s.Bodies, len(want))
	for i, body := range s.Bodies {
		var e event
		require.NoError(t, json.Unmarshal([]byte(body), &e))
		require.Equal(t, want[i], e.Action)
		require.Equal(t, "confab-"+first.Group, e.DedupKey)
		require.Equal(t, alerttest.Password, e.RoutingKey)
		require.Equal(t, want[i] == "trigger", e.Payload != nil)
	}
	digest, other := samples.StaleDigest(), samples.StaleDigest()
	other.Message = strings.Repeat("d", 32)
	require.NotEqual(t, dedupKey(&digest), dedupKey(&other), "every digest is an incident of its own")
}

func TestSeverity(t *testing.T) {
	for _, tt := range []struct {
		severity schemas.Severity
		kind     schemas.AlertKind
		advice   schemas.Recommendation
		want     string
	}{
		{schemas.SeverityHigh, schemas.AlertGroup, schemas.Recommend, "critical"},
		{schemas.SeverityHigh, schemas.AlertDigest, schemas.Recommend, "critical"},
		{schemas.SeverityNormal, schemas.AlertGroup, schemas.Block, "error"},
		{schemas.SeverityNormal, schemas.AlertGroup, schemas.Recommend, "warning"},
		{schemas.SeverityNormal, schemas.AlertBroken, schemas.Block, "warning"},
		{"", "", "", "warning"},
	} {
		require.Equal(t, tt.want, severityOf(&schemas.Alert{Severity: tt.severity, Kind: tt.kind, Flag: schemas.Flag{Recommendation: tt.advice}}))
	}
}

// TestEventsStayInert: hostile text in every field gives a valid event within PagerDuty's limits, without markup or links.
func TestEventsStayInert(t *testing.T) {
	for _, field := range samples.TextFields() {
		t.Run(field.Name, func(t *testing.T) {
			for i, text := range samples.HostileTexts() {
				if i%10 > 0 {
					continue // all of them are tested in all fields at once
				}
				for _, alert := range samples.Alerts() {
					field.Put(&alert, text)
					requireInert(t, fmt.Sprintf("payload %d", i), trigger(&alert, card.RenderOptions{}))
				}
			}
		})
	}
	for _, text := range append(samples.HostileTexts(), strings.Repeat("a", 200_000), strings.Repeat("é\u0301", 50_000), strings.Repeat("🚨", 70_000)) {
		for _, alert := range samples.Alerts() {
			for _, field := range samples.TextFields() {
				field.Put(&alert, text)
			}
			requireInert(t, "all fields", trigger(&alert, card.RenderOptions{}))
		}
	}
}

func requireInert(t *testing.T, name string, e event) {
	t.Helper()
	require.NotEmpty(t, e.Payload.Summary, name)
	require.NotEmpty(t, e.Payload.Source, name)
	require.NotEmpty(t, e.DedupKey, name)
	require.LessOrEqual(t, utf8.RuneCountInString(e.Payload.Summary), 1_024, name)
	require.LessOrEqual(t, utf8.RuneCountInString(e.DedupKey), 255, name)
	require.Contains(t, []string{"critical", "error", "warning", "info"}, e.Payload.Severity)
	texts := []string{e.Payload.Summary, e.Payload.Source, e.Payload.Component, e.Payload.Group, e.Payload.Class, e.DedupKey}
	for _, v := range e.Payload.Details {
		texts = append(texts, v)
	}
	for _, text := range texts {
		samples.RequireInert(t, text)
		require.NotContains(t, text, "<", name)
	}
	raw, err := json.Marshal(e)
	require.NoError(t, err)
	require.Less(t, len(raw), 512_000/4, name)
	require.Empty(t, e.Links, "untrusted text makes no link")
}

func TestExcerptsAreHidden(t *testing.T) {
	alert := groupAlert()
	for hide, want := range map[bool]bool{false: true, true: false} {
		raw, err := json.Marshal(trigger(&alert, card.RenderOptions{HideExcerpts: hide}))
		require.NoError(t, err)
		require.Equal(t, want, strings.Contains(string(raw), "bridge"))
	}
}

// TestErrorsNameTheCredential: where it is configured, never what it is.
func TestErrorsNameTheCredential(t *testing.T) {
	const source = "alerting.receivers[1].pagerduty.routing_key_file (/run/secrets/pagerduty)"
	for _, status := range []int{http.StatusBadRequest, http.StatusForbidden} {
		refuse := alerttest.Answer(status, alerttest.EchoedSecrets+alerttest.Password)
		s := alerttest.NewFakeServer(t, refuse, refuse)
		opts := Options{RoutingKey: alerttest.Password, URL: s.URL + alerttest.EventsPath, Options: s.Options()}
		opts.Credential = source
		n, err := New(opts)
		require.NoError(t, err)
		defer n.Close()
		_, err = n.Notify(t.Context(), groupAlert())
		require.ErrorContains(t, err, source)
		require.Equal(t, alerting.Operator, alerting.AsError(err).Class)
		alerttest.RequireNoSecrets(t, err.Error())
	}
	bad := Options{RoutingKey: "two words " + alerttest.Password}
	bad.Credential = source
	_, err := New(bad)
	require.ErrorContains(t, err, source)
	alerttest.RequireNoSecrets(t, err.Error())
	_, err = New(Options{RoutingKey: "k", URL: "http://events.example"})
	require.ErrorContains(t, err, "https")
}

// FuzzTrigger: any text in every field gives a valid, inert event.
func FuzzTrigger(f *testing.F) {
	for i, text := range samples.HostileTexts() {
		if i%20 == 0 {
			f.Add(text)
		}
	}
	f.Fuzz(func(t *testing.T, text string) {
		for _, alert := range samples.Alerts() {
			for _, field := range samples.TextFields() {
				field.Put(&alert, text)
			}
			requireInert(t, "fuzz", trigger(&alert, card.RenderOptions{}))
		}
	})
}
