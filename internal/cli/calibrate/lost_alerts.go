package calibrate

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"confab/calibration"
	"confab/calibration/measure"
	"confab/calibration/thresholds"
	"confab/internal/cli/labelled"
)

// ErrLostAlerts says that answers labelled bad would no longer alert.
var ErrLostAlerts = errors.New("this calibration loses alerts")

// lostAlerts compares the alerts of the rows under the calibration in force with those under f: losses on answers labelled bad,
// nil without one. Rows come from the label files first, then from feedback, whose texts are not at hand: their scores stay.
func (o *Options) lostAlerts(ctx context.Context, rows []measure.Row, f calibration.File) (*thresholds.LostAlerts, error) {
	next, err := calibration.New(f)
	if err != nil || o.InForce == nil {
		return nil, err
	}
	before := thresholds.Judged{Rows: rows, Calibration: o.InForce}
	if !slices.Equal(o.InForce.File().Baselines, next.File().Baselines) {
		if before.Rows, err = o.measureAgain(ctx, rows, o.InForce); err != nil {
			return nil, err
		}
	}
	lost := thresholds.CountLost(o.Choose.Policy, before, thresholds.Judged{Rows: rows, Calibration: next})
	if lost.Wrong == 0 {
		return nil, nil //nolint:nilnil // no loss
	}
	return &lost, nil
}

// measureAgain measures the label files under a calibration, and appends the rows of feedback as they are.
func (o *Options) measureAgain(ctx context.Context, rows []measure.Row, c *calibration.Calibration) ([]measure.Row, error) {
	if len(o.Files) == 0 {
		return rows, nil
	}
	labels, err := labelled.OpenLabels(o.Files...)
	if err != nil {
		return nil, err
	}
	defer labels.Close()
	again, _, err := o.measureLabels(ctx, labels, c)
	if err != nil {
		return nil, err
	}
	if len(again) > len(rows) {
		return nil, errors.New("the label files changed while they were read: run the command again")
	}
	return append(again, rows[len(again):]...), nil
}

// describeLost says which alerts are lost.
func describeLost(l *thresholds.LostAlerts) string {
	return fmt.Sprintf("%d of %d alerts on answers labelled wrong would disappear, compared with %s, and %d of %d on answers labelled fine",
		l.Wrong, l.WrongOf, l.OldID, l.Fine, l.FineOf)
}
