package app

import (
	"context"
	"fmt"
	"iter"
	"time"

	"confab/alerting"
	"confab/internal/kafka"
	"confab/schemas"
	"confab/schemas/json"
)

// memberAge is how old the record of a group's member may be and still count: what a group has told is in its own
// record, so older ones could only be of incidents that nobody was told of for so long.
const memberAge = 30 * day

// alertLog is one partition of llm.alerts.
type alertLog struct {
	partition *kafka.TablePartition
	sizes     *alertSizes
}

// alertSizes shortens records to what their topic takes.
type alertSizes struct {
	topic   string
	limits  *kafka.SizeLimits
	metrics *metrics
}

// Get implements alerting.Log. A record that cannot be read counts as an attempt of unknown end: telling twice, marked
// as a possible repeat, beats not telling.
func (l alertLog) Get(key string) (schemas.AlertState, bool) {
	value, ok := l.partition.Get(key)
	if !ok {
		return schemas.AlertState{}, false
	}
	var state schemas.AlertState
	if json.DecodeAlertState(value, &state) != nil {
		state = schemas.AlertState{Status: schemas.AlertPending, Attempt: 1}
	}
	return state, true
}

// Put implements alerting.Log.
func (l alertLog) Put(ctx context.Context, entries ...alerting.Entry) error {
	records := make([]kafka.TableEntry, len(entries))
	for i, e := range entries {
		records[i].Key = e.Key
		if e.State == nil {
			continue
		}
		value, err := l.sizes.encode(e.Key, e.State)
		if err != nil {
			return err
		}
		records[i].Value = value
	}
	return l.partition.Put(ctx, records...)
}

// encode is the state as JSON, its flags shortened as far as the topic demands. A state that does not fit in its shortest
// form is returned whole, and is refused as too large.
func (s *alertSizes) encode(key string, state *schemas.AlertState) ([]byte, error) {
	var whole []byte
	for level := slimNothing; level <= slimTop; level++ {
		slim := level.state(state)
		value, err := json.AppendAlertState(nil, &slim)
		switch {
		case err != nil:
			return nil, fmt.Errorf("encode alert state: %w", err)
		case s.limits.Fits(&kafka.Message{Topic: s.topic, Key: []byte(key), Value: value}):
			if level > slimNothing {
				s.metrics.slimmed.WithLabelValues(s.topic).Inc()
			}
			return value, nil
		case level == slimNothing:
			whole = value
		}
	}
	return whole, nil
}

// readAlertState reads partitions of llm.alerts.
func readAlertState(
	table *kafka.Table, sizes *alertSizes, now func() time.Time,
) func(ctx context.Context, p int32) (alerting.Log, iter.Seq2[string, schemas.AlertState], error) {
	return func(ctx context.Context, p int32) (alerting.Log, iter.Seq2[string, schemas.AlertState], error) {
		part, records, err := table.Load(ctx, p, keepAlertState(now()))
		return alertLog{part, sizes}, alertStates(records), err
	}
}

// keepAlertState picks what a dispatcher must know of a partition when it takes it over: groups, silences, and the
// members that may not be counted in their group's record yet.
func keepAlertState(now time.Time) func(key string, value []byte) bool {
	return func(_ string, value []byte) bool {
		var s schemas.AlertState
		if json.DecodeAlertState(value, &s) != nil {
			return false
		}
		return s.Group != nil || s.Silence != nil || s.Member != nil && now.Sub(s.UpdatedAt) < memberAge
	}
}

// alertStates decodes what keepAlertState has picked, in the order of the log.
func alertStates(records []kafka.TableEntry) iter.Seq2[string, schemas.AlertState] {
	return func(yield func(string, schemas.AlertState) bool) {
		for _, r := range records {
			var s schemas.AlertState
			if json.DecodeAlertState(r.Value, &s) == nil && !yield(r.Key, s) {
				return
			}
		}
	}
}
