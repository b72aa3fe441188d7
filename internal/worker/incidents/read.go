package incidents

import (
	"cmp"
	"context"
	"errors"
	"fmt"

	"confab/consumer"
	"confab/internal/kafka"
	"confab/internal/worker/config"
	"confab/schemas"
	"confab/schemas/json"
)

// EachFlag calls fn with every flag of the topic from the start on. Records that are not flags are counted as unreadable.
func EachFlag(ctx context.Context, o *FindOptions, start kafka.Position, fn func(f *schemas.Flag) error) (unreadable int, err error) {
	return o.readFlags(ctx, kafka.ReaderOptions{Start: start}, nil, fn)
}

// readFlags is EachFlag for the partitions and the start of the reader's options, and for wanted keys only, unless it is nil.
func (o *FindOptions) readFlags(ctx context.Context, of kafka.ReaderOptions, wanted func(key []byte) bool, fn func(f *schemas.Flag) error) (unreadable int, err error) {
	of.Config, of.Topics, of.StopAtEnd = o.Kafka, []string{o.Topic}, true
	read := 0
	err = kafka.Read(ctx, of, func(r *kafka.FetchedRecord) error {
		if read++; o.Progress != nil {
			o.Progress(read)
		}
		if wanted != nil && !wanted(r.Key) {
			return nil
		}
		f := new(schemas.Flag)
		err := o.Decode(ctx, r.Value, f)
		if _, poison := errors.AsType[*consumer.PoisonError](err); poison || err == nil && f.IncidentID == "" {
			unreadable++
			return nil
		}
		if err != nil {
			return fmt.Errorf("%s partition %d offset %d cannot be read as a flag: %w", r.Topic, r.Partition, r.Offset, err)
		}
		return fn(f)
	})
	return unreadable, err
}

// EachLabel calls fn with every label of the topic. Records that are not labels are counted as unreadable.
func EachLabel(ctx context.Context, cfg kafka.Config, topic string, fn func(l *schemas.Feedback)) (unreadable int, err error) {
	err = kafka.Read(ctx, kafka.ReaderOptions{Config: cfg, Topics: []string{topic}, StopAtEnd: true}, func(r *kafka.FetchedRecord) error {
		l := new(schemas.Feedback)
		if err := json.DecodeFeedback(r.Value, l); err != nil || l.IncidentID == "" {
			unreadable++
			return nil //nolint:nilerr // it is counted
		}
		fn(l)
		return nil
	})
	return unreadable, err
}

// Votes are where end users' votes are read, and how they name their tenant: as the records of the inputs do.
type Votes struct {
	Topic  string // "": they are not read
	header string // that names the tenant, "" for the record's member
	tenant string // without one
}

// VotesOf are those of a configuration.
func VotesOf(c *config.Config) Votes {
	v := Votes{Topic: c.Kafka.Topics.Votes, tenant: schemas.DefaultTenant}
	for i := range c.Kafka.Inputs {
		in := &c.Kafka.Inputs[i]
		v.header = cmp.Or(v.header, in.TenantHeader)
		if i == 0 && in.TenantFrom == config.TenantFixed {
			v.tenant = in.Tenant
		}
	}
	return v
}

// Each calls fn with the key and the vote of every record from the start on, without a vote where one is deleted. Records that are not votes, or lack the header of the tenant, are counted as
// unreadable.
func (v *Votes) Each(ctx context.Context, cfg kafka.Config, start kafka.Position, fn func(key string, vote *schemas.Vote)) (unreadable int, err error) {
	if v.Topic == "" {
		return 0, nil
	}
	of := kafka.ReaderOptions{Config: cfg, Topics: []string{v.Topic}, Start: start, StopAtEnd: true}
	err = kafka.Read(ctx, of, func(r *kafka.FetchedRecord) error {
		var vote *schemas.Vote
		if r.Value != nil {
			if vote = v.Decode(r); vote == nil {
				unreadable++
				return nil
			}
		}
		fn(string(r.Key), vote)
		return nil
	})
	return unreadable, err
}

// Decode reads the vote of a record with a value; nil if it is none, or lacks the header of the tenant.
func (v *Votes) Decode(r *kafka.FetchedRecord) *schemas.Vote {
	vote := new(schemas.Vote)
	if json.DecodeVote(r.Value, vote) != nil || !v.setTenant(vote, r) {
		return nil
	}
	if vote.At.IsZero() || vote.At.After(r.Timestamp) { // from a clock that is ahead
		vote.At = r.Timestamp
	}
	return vote
}

func (v *Votes) setTenant(vote *schemas.Vote, r *kafka.FetchedRecord) bool {
	if v.header != "" {
		vote.Tenant = ""
		for _, h := range r.Headers {
			if h.Key == v.header {
				vote.Tenant = string(h.Value)
			}
		}
		return vote.Tenant != ""
	}
	vote.Tenant = cmp.Or(vote.Tenant, v.tenant)
	return true
}
