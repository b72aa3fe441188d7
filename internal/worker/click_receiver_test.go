package worker

import (
	"log/slog"
	"testing"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/slack-go/slack"
	"github.com/stretchr/testify/require"

	"confab/alerting/card"
	slacksink "confab/alerting/slack"
	"confab/alerting/slack/interactions"
	"confab/internal/kafka"
	"confab/internal/worker/config"
	"confab/internal/worker/resources"
	"confab/schemas"
	"confab/schemas/json"
)

const (
	clickIncident = "00112233445566778899aabbccddeeff00112233445566778899aabbccddeeff"
	clickGroup    = "00112233445566778899aabbccddeeff"
)

// TestClicksAreWritten: a click is one label, a silence is in every partition, and nothing else is written.
func TestClicksAreWritten(t *testing.T) {
	b := newWorkerHarness(t)
	var silenced []schemas.Silence
	publisher := &clickPublisher{
		producer: b.producer, topics: b.config.Kafka.Topics, partitions: resources.IncidentPartitions,
		onSilence: func(s schemas.Silence) { silenced = append(silenced, s) },
	}
	handler := interactions.NewHandler(interactions.HandlerOptions{
		Publish: publisher.publish, Silence: publisher.silence, Metrics: interactions.NewMetrics(prometheus.NewRegistry()), Logger: slog.New(slog.DiscardHandler),
	})
	for _, action := range []string{slacksink.ActionFine, slacksink.ActionSilence} {
		click := &slack.InteractionCallback{Type: slack.InteractionTypeBlockActions, User: slack.User{ID: "U0AB12"}}
		click.ActionCallback.BlockActions = []*slack.BlockAction{{
			ActionID: action, ActionTs: "1795255200.000100",
			Value: card.ButtonValue{Incident: clickIncident, Group: clickGroup, Detectors: []string{"citation"}}.String(),
		}}
		_, err := handler.Handle(t.Context(), click)
		require.NoError(t, err)
	}

	at := time.Unix(1795255200, 100_000).UTC()
	var got schemas.Feedback
	records := b.readAll("llm.feedback")
	require.Len(t, records, 1)
	require.NoError(t, json.DecodeFeedback(records[0].Value, &got))
	require.Equal(t, clickIncident, string(records[0].Key))
	require.Equal(t, schemas.Feedback{
		IncidentID: clickIncident, Verdict: schemas.Fine, Detectors: []string{"citation"}, User: "U0AB12",
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
	require.NoError(b.t, kafka.Read(b.t.Context(), kafka.ReaderOptions{Config: b.kafka, Topics: []string{topic}, StopAtEnd: true}, func(r *kafka.FetchedRecord) error {
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
