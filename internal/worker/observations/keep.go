package observations

import (
	"context"
	"errors"
	"fmt"
	"time"

	"confab/consumer"
	"confab/internal/console"
	"confab/internal/kafka"
	"confab/internal/worker/config"
	"confab/internal/worker/incidents"
	"confab/internal/worker/records"
	"confab/schemas"
	"confab/schemas/json"
	"confab/schemas/json/scan"
)

// The outcomes of a label.
const (
	outcomeKept      = "kept"      // the claims of a confirmed incident
	outcomeWithdrawn = "withdrawn" // the claims of an incident that is a false flag
	outcomeNone      = "no_claim"  // nothing that can be recognised again
	outcomeGone      = "gone"      // flag or answer are no longer retained
)

// Outcomes are the outcomes that a Keeper sets.
func Outcomes() []string { return []string{outcomeKept, outcomeWithdrawn, outcomeNone, outcomeGone} }

// Keeper writes the claims of incidents that people confirm, and deletes those of false flags.
type Keeper struct {
	Topic string        // of the observations
	TTL   time.Duration // 0: for ever
	Find  func(ctx context.Context, incident string) (*schemas.Flag, error)
	Texts *records.Lookup

	redact func(string) string
}

// NewKeeper makes a keeper that reads the topics of the configuration. Close its Texts after the last record.
func NewKeeper(c *config.Config, k kafka.Config, decode incidents.FlagDecoder, now func() time.Time) *Keeper {
	return &Keeper{
		Topic: c.Kafka.Topics.Observations, TTL: c.Observations.TTL, Texts: records.NewLookup(c, k), redact: c.Redaction.Redactor().Redact,
		Find: func(ctx context.Context, incident string) (*schemas.Flag, error) {
			return incidents.Find(ctx, incidents.FindOptions{
				Kafka: k, Topic: c.Kafka.Topics.Incidents, Incident: incident, Decode: decode, Now: now,
			})
		},
	}
}

// Handle implements consumer.Handler.
func (k *Keeper) Handle(ctx context.Context, batch []consumer.Record[*schemas.Feedback], out consumer.Producer) error {
	for i := range batch {
		batch[i].Begin()
		outcome, all, err := k.messages(ctx, batch[i].Value)
		if err != nil {
			return err
		}
		batch[i].Outcome = outcome
		for _, m := range all {
			out.Produce(m)
		}
	}
	return nil
}

// messages reads the incident of a label and returns what to write. An incident that is no longer retained is no error.
func (k *Keeper) messages(ctx context.Context, label *schemas.Feedback) (outcome string, all []kafka.Message, err error) {
	flag, err := k.Find(ctx, label.IncidentID)
	if _, malformed := errors.AsType[*console.InputError](err); malformed || errors.Is(err, incidents.ErrUnknownIncident) {
		return outcomeGone, nil, nil
	}
	if err != nil {
		return "", nil, fmt.Errorf("find incident: %w", err)
	}
	in, err := k.Texts.Find(ctx, flag)
	if errors.Is(err, records.ErrGone) {
		return outcomeGone, nil, nil
	}
	if err != nil {
		return "", nil, err
	}
	by := claimVerdict{source: schemas.FromLabel, incident: flag.IncidentID, user: label.User, at: label.At, ttl: k.TTL, redact: k.redact}
	outcome = outcomeNone
	for _, o := range observeFlag(in, flag, by) {
		m, err := tombstone(k.Topic, &o), error(nil)
		outcome = outcomeWithdrawn
		if label.Verdict == schemas.Wrong {
			outcome = outcomeKept
			m, err = recordOf(k.Topic, &o)
		}
		if err != nil {
			return "", nil, err
		}
		all = append(all, m)
	}
	return outcome, all, nil
}

// recordOf is the record of an observation.
func recordOf(topic string, o *schemas.Observation) (kafka.Message, error) {
	value, err := json.AppendObservation(nil, o)
	return kafka.Message{Topic: topic, Partition: kafka.AnyPartition, Key: []byte(o.Key()), Value: value}, err
}

// tombstone is the record that deletes an observation.
func tombstone(topic string, o *schemas.Observation) kafka.Message {
	return kafka.Message{Topic: topic, Partition: kafka.AnyPartition, Key: []byte(o.Key())}
}

// LabelCodec reads the records of llm.feedback.
type LabelCodec struct{}

// Decode implements consumer.Codec.
func (LabelCodec) Decode(_ context.Context, r *consumer.Raw, dst []*schemas.Feedback) ([]*schemas.Feedback, error) {
	f := new(schemas.Feedback)
	if err := json.DecodeFeedback(r.Value, f); err != nil {
		reason := scan.ReasonWrongType
		if bad, ok := errors.AsType[*scan.Error](err); ok {
			reason = bad.Reason
		}
		return dst, &consumer.PoisonError{Stage: "decode", Reason: reason, Err: err}
	}
	return append(dst, f), nil
}

// Release implements consumer.Codec.
func (LabelCodec) Release(*schemas.Feedback) {}
