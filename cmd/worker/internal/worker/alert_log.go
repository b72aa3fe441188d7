package worker

import (
	"context"
	"iter"

	"confab/alerting/dispatch/alertlog"
	"confab/cmd/worker/internal/records"
	"confab/internal/kafka/compacted"
	"confab/schemas"
	"confab/schemas/json"
)

// alertLog is one partition of llm.alerts.
type alertLog struct {
	partition *compacted.TablePartition
	sizes     *records.StateEncoder
}

// Get implements alertlog.Log. A record that cannot be read counts as an attempt with unknown result: its message is sent
// again and marked as possibly duplicated.
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

// Put implements alertlog.Log.
func (l alertLog) Put(ctx context.Context, entries ...alertlog.Entry) error {
	records := make([]compacted.TableEntry, len(entries))
	for i, e := range entries {
		records[i].Key = e.Key
		if e.State == nil {
			continue
		}
		value, err := l.sizes.Encode(e.Key, e.State)
		if err != nil {
			return err
		}
		records[i].Value, records[i].SkipCache = value, !isLookedUp(e.State)
	}
	return l.partition.Put(ctx, records...)
}

// isLookedUp reports whether the dispatcher gets the record by its key. It keeps groups and silences in memory itself.
func isLookedUp(s *schemas.AlertState) bool { return s.Group == nil && s.Silence == nil }

// readAlertState returns a function that opens a partition of llm.alerts. Iterating over the records reads the partition.
func readAlertState(table *compacted.Table, sizes *records.StateEncoder) func(ctx context.Context, p int32) (alertlog.Log, iter.Seq2[alertlog.Entry, error]) {
	return func(ctx context.Context, p int32) (alertlog.Log, iter.Seq2[alertlog.Entry, error]) {
		part := table.Open(p)
		return alertLog{part, sizes}, func(yield func(alertlog.Entry, error) bool) {
			ctx, cancel := context.WithCancel(ctx)
			defer cancel()
			more := true
			err := part.Replay(ctx, func(key string, value []byte) bool {
				e := alertlog.Entry{Key: key}
				if value != nil {
					e.State = new(schemas.AlertState)
					if json.DecodeAlertState(value, e.State) != nil {
						return true // Get handles it
					}
				}
				if more = more && yield(e, nil); !more {
					cancel()
				}
				return e.State != nil && isLookedUp(e.State)
			})
			if err != nil && more {
				yield(alertlog.Entry{}, err)
			}
		}
	}
}
