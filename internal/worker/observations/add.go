package observations

import (
	"context"
	"errors"
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"
	"time"

	"confab"
	"confab/internal/console"
	"confab/internal/jsonl"
	"confab/internal/kafka"
	"confab/internal/worker/config"
	"confab/schemas"
	"confab/schemas/json"
)

func inputErrorf(format string, args ...any) error {
	return &console.InputError{Err: fmt.Errorf(format, args...)}
}

// FromClaim makes the observation of a claim that somebody knows to be false.
func FromClaim(tenant, claim, user string, now time.Time, ttl time.Duration) (schemas.Observation, error) {
	if tenant == "" {
		tenant = schemas.DefaultTenant
	}
	v := claimVerdict{source: schemas.FromManual, user: user, at: now, ttl: ttl}
	o, err := v.manual(tenant, claim)
	if err != nil {
		return o, inputErrorf("--add-claim: %w: write the whole sentence as answers have it", err)
	}
	return o, nil
}

// FromIncident makes observations of the flagged claims of an incident.
func (k *Keeper) FromIncident(ctx context.Context, incident, user string, now time.Time) ([]schemas.Observation, error) {
	found, err := k.messages(ctx, &schemas.Feedback{IncidentID: incident, Verdict: schemas.Confirmed, User: user, At: now})
	switch {
	case err != nil:
		return nil, err
	case found.outcome == outcomeGone:
		return nil, inputErrorf("the flag or the answer of %s is no longer retained, or there is none: add its claims with --add-claim", console.Sanitize(incident))
	case found.outcome == outcomeNone:
		return nil, inputErrorf("no flagged claim of %s can be recognised again: add claims with --add-claim, as whole sentences", console.Sanitize(incident))
	}
	for i := range found.observations {
		found.observations[i].Source = schemas.FromManual
	}
	return found.observations, nil
}

// FromFeedback makes observations of all incidents that people confirmed, by the last label of each, and counts those whose
// flags or answers are no longer retained.
func (k *Keeper) FromFeedback(ctx context.Context, cfg kafka.Config, topic string, progress func(int)) (all []schemas.Observation, gone int, err error) {
	labels, err := lastLabels(ctx, cfg, topic)
	if err != nil {
		return nil, 0, err
	}
	for i, incident := range slices.Sorted(maps.Keys(labels)) {
		progress(i + 1)
		label := labels[incident]
		if label.Verdict != schemas.Confirmed {
			continue
		}
		found, err := k.messages(ctx, &label)
		if err != nil {
			return nil, 0, err
		}
		if found.outcome == outcomeGone {
			gone++
		}
		all = append(all, found.observations...)
	}
	return all, gone, nil
}

// lastLabels reads the last label of each incident.
func lastLabels(ctx context.Context, cfg kafka.Config, topic string) (map[string]schemas.Feedback, error) {
	reader, err := kafka.NewReader(kafka.ReaderOptions{Config: cfg, Topics: []string{topic}, StopAtEnd: true})
	if err != nil {
		return nil, err
	}
	labels := map[string]schemas.Feedback{}
	return labels, reader.Read(ctx, func(r *kafka.FetchedRecord) error {
		var f schemas.Feedback
		if err := json.DecodeFeedback(r.Value, &f); err != nil {
			return nil //nolint:nilerr // not a label
		}
		labels[f.IncidentID] = f
		return nil
	})
}

// maxLineBytes bounds one line of a file of observations.
const maxLineBytes = 64 << 10

// ReadLines reads observations as JSON Lines, such as `confab observations --json` writes them. A line needs a claim, or
// the key of one. faults names the lines that cannot be used.
func ReadLines(r io.Reader, now time.Time, ttl time.Duration) (all []schemas.Observation, faults []string, err error) {
	lines, err := jsonl.NewReader(r, maxLineBytes)
	if err != nil {
		return nil, nil, err
	}
	for {
		line, err := lines.Next()
		if errors.Is(err, io.EOF) {
			return all, faults, nil
		}
		if err != nil && !errors.Is(err, jsonl.ErrTooLong) {
			return nil, nil, err
		}
		var o schemas.Observation
		if err == nil {
			o, err = readLine(line, now, ttl)
		}
		if err != nil {
			faults = append(faults, fmt.Sprintf("line %d: %v", lines.Number(), err))
			continue
		}
		all = append(all, o)
	}
}

func readLine(line []byte, now time.Time, ttl time.Duration) (o schemas.Observation, err error) {
	if err := json.DecodeObservation(line, &o); err != nil {
		return o, err
	}
	if o.Verdict != "" && o.Verdict != schemas.ClaimIsFalse {
		return o, fmt.Errorf("verdict: expected %s", schemas.ClaimIsFalse)
	}
	if o.ClaimKey == "" {
		made, err := FromClaim(strings.Clone(o.Tenant), strings.Clone(o.Claim), strings.Clone(o.User), now, ttl)
		return made, err
	}
	_, err = parseClaimKey(o.ClaimKey)
	switch {
	case err != nil:
	case o.Tenant == "":
		err = errors.New("tenant is missing: a claim_key needs it")
	case o.At.IsZero():
		err = errors.New("at is missing: a claim_key needs it")
	}
	o.Verdict = schemas.ClaimIsFalse
	return o, err
}

// FileDetectors reads observations from JSON Lines and returns the detector known_false over them.
func FileDetectors(r io.Reader, s *config.Observations, now func() time.Time) ([]confab.OwnDetector, error) {
	all, faults, err := ReadLines(r, now(), s.TTL)
	if err != nil {
		return nil, err
	}
	if len(faults) > 0 {
		return nil, fmt.Errorf("%d lines cannot be used: %s", len(faults), faults[0])
	}
	store := newStore(s, now)
	for i := range all {
		if err := putObservation(store, &all[i], now()); err != nil {
			return nil, fmt.Errorf("observation %d: %w", i+1, err)
		}
	}
	return ownDetectors(store), nil
}
