package alerting

import (
	"context"
	"errors"

	"confab/schemas"
)

// StateLog is one partition of the topic llm.alerts.
type StateLog interface {
	// Get returns the last state under the key.
	Get(key string) (schemas.AlertState, bool)
	// Put returns nil once all entries are durable, in this order; Get returns them from then on. After an error any of
	// them may have been written.
	Put(ctx context.Context, entries ...StateEntry) error
}

// StateEntry is a record of a [StateLog].
type StateEntry struct {
	Key   string
	State *schemas.AlertState // nil deletes the key
}

// ErrNotOwned says that a partition does not belong to this process.
var ErrNotOwned = errors.New("the partition does not belong to this process")
