package observations

import (
	"cmp"
	"context"
	"fmt"
	"io"
	"slices"
	"strings"
	"time"

	"github.com/jedib0t/go-pretty/v6/table"

	"confab/detectors/knownfalse"
	"confab/internal/console"
	"confab/internal/kafka"
	"confab/internal/worker/cluster"
	"confab/internal/worker/incidents"
	"confab/schemas"
	"confab/schemas/json"
)

// Options are where the observations are.
type Options struct {
	Kafka kafka.Config
	Topic string
	Now   func() time.Time
}

// Filter selects observations. Every field that is set must match.
type Filter struct {
	Tenant   string
	Incident string // its id, or a prefix of it
	Claim    string // the claim, or a prefix of its key
	Expired  bool   // select expired ones, too
}

// IsSet reports whether the filter asks for anything.
func (f *Filter) IsSet() bool {
	return f.Tenant != "" || f.Incident != "" || f.Claim != ""
}

func (f *Filter) selects(o *schemas.Observation, now time.Time) bool {
	if !f.Expired && o.Expired(now) || f.Tenant != "" && o.Tenant != f.Tenant || !strings.HasPrefix(o.IncidentID, f.Incident) {
		return false
	}
	return f.Claim == "" || f.isClaim(o)
}

// isClaim reports whether the observation is of the claim.
func (f *Filter) isClaim(o *schemas.Observation) bool {
	if len(f.Claim) >= keyPrefix && strings.HasPrefix(o.ClaimKey, f.Claim) {
		return true
	}
	same, err := FromClaim(o.Tenant, f.Claim, "", time.Time{}, 0)
	return err == nil && same.ClaimKey == o.ClaimKey
}

// keyPrefix is the length of the keys that tables show, in hexadecimal digits.
const keyPrefix = 12

// Select reads the observations that the filter selects, by tenant and time.
func Select(ctx context.Context, o Options, f *Filter) ([]schemas.Observation, error) {
	if err := cluster.RequireTopic(ctx, o.Kafka, o.Topic); err != nil {
		return nil, err
	}
	live := map[string]schemas.Observation{}
	err := kafka.Read(ctx, kafka.ReaderOptions{Config: o.Kafka, Topics: []string{o.Topic}, StopAtEnd: true}, func(r *kafka.FetchedRecord) error {
		if r.Value == nil {
			delete(live, string(r.Key))
			return nil
		}
		var one schemas.Observation
		if err := json.DecodeObservation(r.Value, &one); err != nil {
			return fmt.Errorf("%s partition %d offset %d cannot be read as an observation: %w", r.Topic, r.Partition, r.Offset, err)
		}
		live[string(r.Key)] = one
		return nil
	})
	if err != nil {
		return nil, err
	}
	var found []schemas.Observation
	for _, one := range live {
		if f.selects(&one, o.Now()) {
			found = append(found, one)
		}
	}
	slices.SortFunc(found, func(a, b schemas.Observation) int {
		return cmp.Or(cmp.Compare(a.Tenant, b.Tenant), a.At.Compare(b.At), cmp.Compare(a.ClaimKey, b.ClaimKey))
	})
	return found, nil
}

// Print prints observations as a table.
func Print(w io.Writer, all []schemas.Observation, now time.Time) error {
	if len(all) == 0 {
		return console.Printf(w, "no observations\n")
	}
	t := console.NewTable(table.Row{"claim key", "tenant", "claim", "source", "found", "until"})
	for i := range all {
		o := &all[i]
		until := "-"
		switch {
		case o.Expired(now):
			until = "expired"
		case !o.ExpiresAt.IsZero():
			until = o.ExpiresAt.Format(time.DateOnly)
		}
		source := string(o.Source)
		if o.User != "" {
			source += " by " + o.User
		}
		t.AppendRow(table.Row{
			console.Sanitize(o.ClaimKey[:min(keyPrefix, len(o.ClaimKey))]), console.Sanitize(o.Tenant), console.Sanitize(o.Claim),
			console.Sanitize(source), o.At.Format(time.DateOnly), until,
		})
	}
	return console.PrintTable(w, t)
}

// WriteLines writes observations as JSON Lines.
func WriteLines(w io.Writer, all []schemas.Observation) error {
	var lines []byte
	for i := range all {
		var err error
		if lines, err = json.AppendObservation(lines, &all[i]); err != nil {
			return err
		}
		lines = append(lines, '\n')
	}
	return console.Printf(w, "%s", lines)
}

// FromClaim makes the observation of a claim that somebody knows to be false.
func FromClaim(tenant, claim, user string, now time.Time, ttl time.Duration) (schemas.Observation, error) {
	var n knownfalse.Normalizer
	key, ok := n.Key(claim)
	if !ok {
		return schemas.Observation{}, &console.InputError{Err: fmt.Errorf("--add-claim: %w: write the whole sentence as answers have it", knownfalse.ErrNoClaim)}
	}
	v := claimVerdict{source: schemas.FromManual, user: user, at: now, ttl: ttl}
	return v.of(cmp.Or(tenant, schemas.DefaultTenant), key, claim), nil
}

// Write writes an observation and waits for its acknowledgement.
func Write(ctx context.Context, o Options, one *schemas.Observation) error {
	m, err := recordOf(o.Topic, one)
	if err != nil {
		return err
	}
	return incidents.Produce(ctx, o.Kafka, m)
}

// Delete deletes observations and waits for the acknowledgements.
func Delete(ctx context.Context, o Options, all []schemas.Observation) error {
	ms := make([]kafka.Message, len(all))
	for i := range all {
		ms[i] = tombstone(o.Topic, &all[i])
	}
	return incidents.Produce(ctx, o.Kafka, ms...)
}
