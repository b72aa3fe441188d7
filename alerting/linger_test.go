package alerting

import (
	"context"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	"confab/schemas"
)

// sluggish takes its time, unless it is cut off.
type sluggish struct {
	*wall
	takes time.Duration
}

func (s sluggish) Notify(ctx context.Context, a schemas.Alert) (schemas.Receipt, error) {
	select {
	case <-time.After(s.takes):
		return s.wall.Notify(ctx, a)
	case <-ctx.Done():
		return schemas.Receipt{}, ctx.Err()
	}
}

// A message under way when the process is told to stop is waited for, a little, and remembered.
func TestStopWhilePosting(t *testing.T) {
	for takes, want := range map[time.Duration]schemas.AlertStatus{
		2 * time.Second: schemas.AlertSent, // half of it after the order to stop
		time.Minute:     schemas.AlertPending,
	} {
		t.Run(takes.String(), func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				w := &wall{}
				d := newDesk(t, deskOptions{wall: w, sink: sluggish{w, takes}}).run()
				f := alike(1, 0)
				d.join(0, f)
				wait(time.Second)
				told := time.Now()
				d.stop()
				require.LessOrEqual(t, time.Since(told), lingerTime)
				k := d.book.kindOf(&f)
				got, ok := d.logs[0].Get(k.key())
				require.True(t, ok)
				require.Equal(t, want, got.Status)
				require.Equal(t, want == schemas.AlertSent, got.Timestamp != "")
				synctest.Wait()
			})
		})
	}
}
