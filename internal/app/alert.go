package app

import (
	"context"
	"fmt"

	"confab/alerting"
	"confab/consumer"
	"confab/internal/kafka"
	"confab/schemas"
	"confab/schemas/json"
)

// alert is the role that tells people: each incident whose flag holds the alert rule, once.
type alert struct {
	teller *alerting.Teller
	table  *kafka.Table // llm.alerts, partition by partition beside llm.incidents
}

// Handle implements consumer.Handler.
func (a *alert) Handle(ctx context.Context, batch []consumer.Record[*schemas.Flag], _ consumer.Producer) error {
	for i := range batch {
		r := &batch[i]
		partition, err := a.table.Partition(ctx, r.Partition)
		if err != nil {
			return fmt.Errorf("load the state of alerts: %w", err)
		}
		outcome, err := a.teller.Tell(ctx, r.Value, alertState{partition})
		if err != nil {
			return fmt.Errorf("incident %s: %w", r.Value.IncidentID, err)
		}
		r.Outcome = string(outcome)
	}
	return nil
}

// alertState keeps the told-state of one partition's incidents in the partition of the same number of llm.alerts.
type alertState struct {
	partition *kafka.TablePartition
}

// Get implements alerting.State. A record that cannot be read counts as an attempt of unknown end: telling twice, marked
// as a possible repeat, beats not telling.
func (s alertState) Get(key string) (schemas.AlertState, bool) {
	value, ok := s.partition.Get(key)
	if !ok {
		return schemas.AlertState{}, false
	}
	var state schemas.AlertState
	if json.DecodeAlertState(value, &state) != nil {
		state = schemas.AlertState{Status: schemas.AlertPending}
	}
	return state, true
}

// Put implements alerting.State.
func (s alertState) Put(ctx context.Context, key string, state schemas.AlertState) error {
	value, err := json.AppendAlertState(nil, &state)
	if err != nil {
		return fmt.Errorf("encode alert state: %w", err)
	}
	return s.partition.Put(ctx, kafka.TableEntry{Key: key, Value: value})
}
