package alertlog

import (
	"context"
	"errors"

	"confab/schemas"
)

// Log is one partition of what is durably known about alerts.
type Log interface {
	// Get is the last known state under the key.
	Get(key string) (schemas.AlertState, bool)
	// Put returns nil once all entries survive this process, in this order; Get answers them from then on. After an
	// error nothing may be assumed.
	Put(ctx context.Context, entries ...Entry) error
}

// Entry is a record of a [Log].
type Entry struct {
	Key   string
	State *schemas.AlertState // nil deletes the key
}

// ErrNotOwned says that a partition does not belong to this process, or no longer.
var ErrNotOwned = errors.New("the partition does not belong to this process")
