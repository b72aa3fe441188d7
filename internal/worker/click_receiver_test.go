package worker

import (
	"context"
	"crypto/hmac"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"net/url"
	"regexp"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/stretchr/testify/require"

	"confab/alerting/card"
	slacksink "confab/alerting/slack"
	"confab/internal/kafka"
	"confab/internal/logtest"
	"confab/internal/redact"
	"confab/internal/worker/config"
	"confab/internal/worker/resources"
	"confab/schemas"
	"confab/schemas/json"
)

const (
	clickSecret   = "canary-signing-secret"
	clickIncident = "00112233445566778899aabbccddeeff00112233445566778899aabbccddeeff"
	clickGroup    = "00112233445566778899aabbccddeeff"
)

// startClickServer starts a click server over the embedded cluster; base is its address.
func startClickServer(t *testing.T, b *workerHarness, silenced func(schemas.Silence)) (base string, stop func() error) {
	t.Helper()
	b.config.Alerting.Console = false
	b.config.Alerting.Slack.BotToken, b.config.Alerting.Slack.Channel = "xoxb-1", "C1"
	b.config.Alerting.Slack.InteractionsListen, b.config.Alerting.Slack.SigningSecret = "127.0.0.1:0", redact.Secret(clickSecret)
	logs := &logtest.Buffer{}
	w := &worker{
		Options:  Options{Config: b.config, Registry: prometheus.NewRegistry(), Now: time.Now, Logger: slog.New(slog.NewTextHandler(logs, nil))},
		producer: b.producer, partitions: map[string]int{"llm.alerts": resources.IncidentPartitions},
	}
	run, err := w.newClickReceiver(nil, silenced)
	require.NoError(t, err)
	ctx, cancel := context.WithCancel(t.Context())
	done := make(chan error, 1)
	go func() { done <- run(ctx) }()
	var address []string
	eventually(t, func() bool {
		address = regexp.MustCompile(`address=(\S+)`).FindStringSubmatch(logs.String())
		return address != nil
	}, 20*time.Second, time.Millisecond)
	return "http://" + address[1], func() error {
		cancel()
		err := <-done
		require.NotContains(t, logs.String(), "canary")
		return err
	}
}

// postClick sends a click as Slack does, and returns the status.
func postClick(t *testing.T, address, action, secret string) int {
	t.Helper()
	value := card.ButtonValue{Incident: clickIncident, Group: clickGroup, Detectors: []string{"citation"}}
	payload := fmt.Sprintf(`{"type":"block_actions","user":{"id":"U0AB12"},"channel":{"id":"C1"},"message":{"ts":"1.000001"},
		"actions":[{"type":"button","block_id":%q,"action_id":%q,"value":%q,"action_ts":"1795255200.000100"}]}`,
		slacksink.BlockActions, action, value)
	body := "payload=" + url.QueryEscape(payload)
	now := strconv.FormatInt(time.Now().Unix(), 10)
	mac := hmac.New(sha256.New, []byte(secret))
	_, _ = io.WriteString(mac, "v0:"+now+":"+body)
	req, err := http.NewRequestWithContext(t.Context(), http.MethodPost, address, strings.NewReader(body))
	require.NoError(t, err)
	req.Header.Set("Content-Type", "application/x-www-form-urlencoded")
	req.Header.Set("X-Slack-Request-Timestamp", now)
	req.Header.Set("X-Slack-Signature", "v0="+hex.EncodeToString(mac.Sum(nil)))
	client := &http.Client{Transport: &http.Transport{DisableKeepAlives: true}}
	resp, err := client.Do(req)
	require.NoError(t, err)
	defer resp.Body.Close()
	return resp.StatusCode
}

// TestClicksAreWritten: a signed click is one label, a silence is in every partition, and nothing else is written.
func TestClicksAreWritten(t *testing.T) {
	b := newWorkerHarness(t)
	var silenced []schemas.Silence
	base, stop := startClickServer(t, b, func(s schemas.Silence) { silenced = append(silenced, s) })
	const path = "/slack/interactions"
	require.Equal(t, http.StatusUnauthorized, postClick(t, base+path, slacksink.ActionConfirm, "forged"))
	require.Equal(t, http.StatusNotFound, postClick(t, base+"/", slacksink.ActionConfirm, clickSecret))
	require.Equal(t, http.StatusNotFound, postClick(t, base+"/metrics", slacksink.ActionConfirm, clickSecret))
	require.Equal(t, http.StatusOK, postClick(t, base+path, slacksink.ActionFalsePositive, clickSecret))
	require.Equal(t, http.StatusOK, postClick(t, base+path, slacksink.ActionSilence, clickSecret))
	require.NoError(t, stop())

	at := time.Unix(1795255200, 100_000).UTC()
	var got schemas.Feedback
	records := b.readAll("llm.feedback")
	require.Len(t, records, 1)
	require.NoError(t, json.DecodeFeedback(records[0].Value, &got))
	require.Equal(t, clickIncident, string(records[0].Key))
	require.Equal(t, schemas.Feedback{
		IncidentID: clickIncident, Verdict: schemas.FalsePositive, Detectors: []string{"citation"}, User: "U0AB12",
		Source: schemas.FromSlack, At: at,
	}, got)

	require.Len(t, silenced, 1)
	require.Equal(t, clickGroup, silenced[0].Group)
	records = b.readAll("llm.alerts")
	require.Len(t, records, resources.IncidentPartitions)
	partitions := map[int32]bool{}
	for _, r := range records {
		var s schemas.AlertState
		require.NoError(t, json.DecodeAlertState(r.Value, &s))
		require.Equal(t, silenced[0], *s.Silence)
		require.Equal(t, schemas.AlertSilence, s.Status)
		require.Equal(t, silenced[0].ID, string(r.Key))
		partitions[r.Partition] = true
	}
	require.Len(t, partitions, resources.IncidentPartitions)
}

// readAll are the records of a topic as it is now.
func (b *workerHarness) readAll(topic string) (got []kafka.FetchedRecord) {
	b.t.Helper()
	reader, err := kafka.NewReader(kafka.ReaderOptions{Config: b.kafka, Topics: []string{topic}, StopAtEnd: true})
	require.NoError(b.t, err)
	require.NoError(b.t, reader.Read(b.t.Context(), func(r *kafka.FetchedRecord) error {
		got = append(got, *r)
		return nil
	}))
	return got
}

func TestNoClickReceiverWithoutButtons(t *testing.T) {
	w := &worker{Options: Options{Config: config.Default()}}
	run, err := w.newClickReceiver(nil, nil)
	require.NoError(t, err)
	require.Nil(t, run)
}

func TestSocketModeNeedsAnAppToken(t *testing.T) {
	c := config.Default()
	c.Alerting.Slack.AppToken = "no-such-token"
	w := &worker{Options: Options{Config: c, Registry: prometheus.NewRegistry(), Now: time.Now, Logger: slog.New(slog.DiscardHandler)}}
	_, err := w.newClickReceiver(nil, nil)
	require.ErrorContains(t, err, "alerting.slack.app_token")
	require.NotContains(t, err.Error(), "no-such-token")
}
