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

// lostAlerts compares the alerts of the rows under the calibration in force, and under that which the output file holds, with
// those under f. It returns the first loss on answers labelled bad; nil without one. Rows come from the label
// files first, then from feedback, whose texts are not at hand: their scores stay.
func (o *Options) lostAlerts(ctx context.Context, rows []measure.Row, f calibration.File) (*thresholds.LostAlerts, error) {
	next, err := calibration.New(f)
	if err != nil {
		return nil, err
	}
	after := thresholds.Judged{Rows: rows, Calibration: next}
	for _, old := range o.replaced() {
		before := thresholds.Judged{Rows: rows, Calibration: old}
		if !slices.Equal(old.File().Baselines, next.File().Baselines) {
			if before.Rows, err = o.measureAgain(ctx, rows, old); err != nil {
				return nil, err
			}
		}
		if lost := thresholds.CountLost(o.Choose.Policy, before, after); lost.Wrong > 0 {
			return &lost, nil
		}
	}
	return nil, nil //nolint:nilnil // no loss
}

// replaced are the calibration in force and, if there is another one, that of the output file.
func (o *Options) replaced() (list []*calibration.Calibration) {
	if o.InForce != nil {
		list = append(list, o.InForce)
	}
	if old, err := ReadCalibration("--out", o.Out); err == nil && (o.InForce == nil || old.ID() != o.InForce.ID()) {
		list = append(list, old)
	}
	return list
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
