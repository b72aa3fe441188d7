package serve

import (
	"bytes"
	"context"
	"errors"
	"log/slog"
	"net/http"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"confab/internal/kafka"
	"confab/internal/kafka/embedded"
	"confab/internal/worker/config"
	"confab/internal/worker/incidents"
	"confab/schemas"
)

// newVoteServer starts a server with two logins whose votes are collected.
func newVoteServer(t *testing.T, votes *[]schemas.Vote, fails *error) (s *Server, url string, log *bytes.Buffer) {
	t.Helper()
	return newServer(t, func(c *config.Config) {
		c.Serve.Publish = config.PublishFlags
		c.Serve.Auth.Logins = []config.Login{
			{Name: "shop", Token: "token-of-the-shop-1234", Tenants: []string{"shop"}},
			{Name: "bank", Token: "token-of-the-bank-1234", Tenants: []string{"bank"}},
		}
	}, func(o *Options) {
		o.Vote = func(_ context.Context, v *schemas.Vote) error {
			if *fails == nil {
				*votes = append(*votes, *v)
			}
			return *fails
		}
		o.Now = func() time.Time { return time.Date(2026, 11, 27, 12, 0, 0, 0, time.UTC) }
	})
}

func TestFeedback(t *testing.T) {
	var votes []schemas.Vote
	var fails error
	s, url, log := newVoteServer(t, &votes, &fails)
	post := func(body string, headers ...string) *answer {
		return send(t, http.MethodPost, url+"/v1/feedback", body, append([]string{"Authorization", "Bearer token-of-the-shop-1234"}, headers...)...)
	}
	a := post(`{"interaction_id":"i-1","vote":"thumbs_down","user":"ann","comment":"secret","at":"2030-01-01T00:00:00Z"}`)
	require.Equal(t, http.StatusOK, a.status, a.body)
	require.JSONEq(t, `{"vote":"down","tenant":"shop"}`, a.body)
	require.Equal(t, []schemas.Vote{{InteractionID: "i-1", Vote: schemas.ThumbDown, User: "ann", Tenant: "shop", At: s.Now()}}, votes, "a time ahead is now")

	for body, code := range map[string]string{
		`{"interaction_id":"i-1","vote":"secret"}`: "wrong_type",
		`{"vote":1}`: "wrong_type",
		`{"interaction_id":"i-1","vote":1,"tenant":"bank"}`: "tenant_not_allowed",
		``: "empty_body",
	} {
		a := post(body)
		require.Equal(t, code, a.code(t), body)
		require.NotContains(t, a.body, "secret")
	}
	require.Equal(t, "content_type", func() string { a := post(`{}`, "Content-Type", "application/x-ndjson"); return a.code(t) }())
	require.Equal(t, http.StatusUnauthorized, send(t, http.MethodPost, url+"/v1/feedback", `{"interaction_id":"i-1","vote":1}`).status)
	fails = errors.New("no broker")
	a = post(`{"interaction_id":"i-1","vote":1}`)
	require.Equal(t, http.StatusServiceUnavailable, a.status, "what is not durable is not acknowledged")
	require.Equal(t, "5", a.header.Get("Retry-After"))
	require.Len(t, votes, 1)
	require.NotContains(t, log.String(), "secret")
	require.NotContains(t, log.String(), "ann")

	_, url, _ = newServer(t, nil)
	a = send(t, http.MethodPost, url+"/v1/feedback", `{"interaction_id":"i-1","vote":1}`)
	require.Equal(t, "feedback_off", a.code(t), "without Kafka")
}

// What serve writes is what tune and rate read, with the tenant where the inputs have it.
func TestVotesAreRead(t *testing.T) {
	for _, header := range []string{"", "tenant"} {
		cluster, err := embedded.Start(embedded.Options{Topics: map[string]int32{"llm.feedback.users": 1}})
		require.NoError(t, err)
		t.Cleanup(cluster.Close)
		c := config.Default()
		require.Nil(t, NewVote(c, nil))
		if c.Serve.Publish = config.PublishAll; header != "" {
			c.Kafka.Inputs[0].TenantFrom, c.Kafka.Inputs[0].TenantHeader = config.TenantHeader, header
		}
		cfg := kafka.Config{SeedBrokers: cluster.Seeds(), Logger: slog.New(slog.DiscardHandler)}
		producer, err := kafka.NewProducer(cfg)
		require.NoError(t, err)
		t.Cleanup(producer.Close)
		v := schemas.Vote{TraceID: "t-1", Vote: schemas.ThumbUp, Tenant: "shop", At: time.Now().UTC().Truncate(time.Second)}
		require.NoError(t, NewVote(c, producer)(t.Context(), &v))
		foreign := []kafka.Message{
			{Topic: "llm.feedback.users", Partition: kafka.AnyPartition, Key: []byte("a"), Value: []byte(`{"vote":"up","message_id":"m"}`)},
			{Topic: "llm.feedback.users", Partition: kafka.AnyPartition, Key: []byte("b"), Value: []byte(`nonsense`)},
			{Topic: "llm.feedback.users", Partition: kafka.AnyPartition, Key: []byte("a")},
		}
		require.NoError(t, producer.ProduceSync(t.Context(), foreign...))
		var read []*schemas.Vote
		source := incidents.VotesOf(c)
		bad, err := source.Each(t.Context(), cfg, kafka.Position{}, func(_ string, v *schemas.Vote) { read = append(read, v) })
		require.NoError(t, err)
		require.Equal(t, &v, read[0])
		require.Nil(t, read[len(read)-1], "deleted")
		if header == "" {
			require.Equal(t, 1, bad)
			require.Equal(t, "default", read[1].Tenant)
		} else {
			require.Equal(t, 2, bad, "without the header a vote has no tenant")
		}
	}
}
