package serve

import (
	"context"
	"net/http"
	"strings"

	"confab/internal/kafka"
	"confab/internal/worker/config"
	"confab/schemas"
	"confab/schemas/json"
)

// Vote writes what an end user says of an answer to Kafka and waits for the acknowledgement.
type Vote func(ctx context.Context, v *schemas.Vote) error

// NewVote returns the Vote of the configuration; nil under serve.publish: none.
func NewVote(c *config.Config, producer *kafka.Producer) Vote {
	if c.Serve.Publish == config.PublishNone {
		return nil
	}
	return func(ctx context.Context, v *schemas.Vote) error {
		value, err := json.AppendVote(nil, v)
		if err != nil {
			return err
		}
		m := kafka.Message{Topic: c.Kafka.Topics.Votes, Partition: kafka.AnyPartition, Key: []byte(v.Key()), Value: value}
		for i := range c.Kafka.Inputs { // readers of votes take the tenant from where inputs have it
			if name := c.Kafka.Inputs[i].TenantHeader; name != "" {
				m.Headers = []kafka.Header{{Key: name, Value: []byte(v.Tenant)}}
				break
			}
		}
		return producer.ProduceSync(ctx, m)
	}
}

// feedback answers POST /v1/feedback: one vote. It is durable before the answer.
func (s *Server) feedback(q *webRequest) error {
	if s.Vote == nil {
		return errNoVotes
	}
	raw, err := q.readAll()
	if err != nil {
		return err
	}
	v := new(schemas.Vote)
	if err := json.DecodeVote(raw, v); err != nil {
		return err
	}
	if err := s.admit(q, strings.TrimSpace(v.Tenant)); err != nil {
		return err
	}
	v.Tenant = q.tenant
	if now := s.Now().UTC(); v.At.IsZero() || v.At.After(now) {
		v.At = now
	}
	ctx, cancel := context.WithTimeout(q.Context(), s.settings.Deadline)
	defer cancel()
	if err := s.Vote(ctx, v); err != nil {
		s.Logger.WarnContext(q.Context(), "write of a vote failed", "error", err)
		return errVoteWrite
	}
	q.reply.write(http.StatusOK, "application/json", encodeJSON(map[string]any{"vote": v.Vote, "tenant": v.Tenant}))
	return nil
}
