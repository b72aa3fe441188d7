package delivery

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"time"

	"confab/schemas"
)

// Destination takes evaluation results.
type Destination interface {
	// Deliver delivers all flags or fails. A repeat replaces what was delivered, because ids are stable. A *RejectedError
	// means that it refused some flags for good and that the others are delivered; a *RetryAfterError, or any other error,
	// is temporary, and the caller repeats the whole batch.
	Deliver(ctx context.Context, flags []*schemas.Flag) error
}

// RejectedError are the flags of a batch that a destination refused for good, by flag id (see [FlagID]). They are counted
// and logged, never retried. The other flags of the batch were delivered.
type RejectedError struct {
	Flags map[string]error
}

// Error names the number of flags and the reason of one of them.
func (e *RejectedError) Error() string {
	for _, id := range slices.Sorted(maps.Keys(e.Flags)) {
		return fmt.Sprintf("%d flags rejected: %v", len(e.Flags), e.Flags[id])
	}
	return "0 flags rejected"
}

// RetryAfterError is a temporary failure after which the server asked for a pause.
type RetryAfterError struct {
	After time.Duration
	Err   error
}

// Error is the text of the failure.
func (e *RetryAfterError) Error() string { return fmt.Sprintf("%v (asked to wait %s)", e.Err, e.After) }

// Unwrap returns the failure.
func (e *RetryAfterError) Unwrap() error { return e.Err }

// FlagID is the stable id of a flag: a repeated evaluation of the same answer by the same pass has the same id.
func FlagID(f *schemas.Flag) string { return f.IncidentID + ":" + string(f.Pass) }
