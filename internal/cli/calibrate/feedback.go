package calibrate

import (
	"context"
	"fmt"
	"strings"
	"time"

	"confab/calibration/measure"
	"confab/calibration/thresholds"
	"confab/internal/kafka"
	"confab/internal/worker/cluster"
	"confab/internal/worker/incidents"
	"confab/schemas"
)

// FeedbackOptions locate human labels and flags.
type FeedbackOptions struct {
	Kafka     kafka.Config
	Topic     string // of the labels
	Incidents string // of the flags
	Decode    func(ctx context.Context, value []byte, f *schemas.Flag) error
	Since     time.Time // start of the incidents

	maxIncidents int // 0 is defaultMaxIncidents
}

// defaultMaxIncidents needs about half a gigabyte.
const defaultMaxIncidents = 5_000_000

// labelledFeedback is the feedback to calibrate on; nil has none.
type labelledFeedback struct {
	*weightedLabels
	o          *FeedbackOptions
	unreadable int // records that could not be read
}

// readFeedback joins labels and flags, and adds the labels to the fingerprint.
func (o *Options) readFeedback(ctx context.Context, prints *measure.RowHashes) (*labelledFeedback, error) {
	if o.Feedback == nil {
		return nil, nil //nolint:nilnil // a nil one says nothing
	}
	b := &labelledFeedback{o: o.Feedback}
	o.Choose.Current, o.Choose.Baselines = o.InForce, o.InForce.File().Baselines
	for _, topic := range []string{b.o.Topic, b.o.Incidents} {
		if err := cluster.RequireTopic(ctx, b.o.Kafka, topic); err != nil {
			return nil, err
		}
	}
	census, err := b.readStore(ctx, o.Progress)
	if err != nil {
		return nil, err
	}
	b.weightedLabels = census.Join()
	if len(b.Incidents) == 0 {
		return nil, fmt.Errorf("%w: no incident detected since %s is labelled: label some with the buttons of alerts or with `confab label`",
			thresholds.ErrLabels, b.o.Since.UTC().Format(time.RFC3339))
	}
	o.Choose.RaiseOnly = b.RaiseOnly()
	for i := range b.Incidents {
		prints.Add(fmt.Appendf(nil, "feedback %s %v", b.Incidents[i].IncidentID, b.Incidents[i].Positive))
	}
	return b, nil
}

// readStore reads the labels, then the flags.
func (b *labelledFeedback) readStore(ctx context.Context, progress func(int)) (*incidentStore, error) {
	limit := b.o.maxIncidents
	if limit == 0 {
		limit = defaultMaxIncidents
	}
	c := newIncidentStore(limit)
	bad, err := incidents.EachLabel(ctx, b.o.Kafka, b.o.Topic, func(l *schemas.Feedback) { c.AddLabel(*l) })
	if err != nil {
		return nil, err
	}
	flags := &incidents.FindOptions{Kafka: b.o.Kafka, Topic: b.o.Incidents, Decode: b.o.Decode, Progress: progress}
	worse, err := incidents.EachFlag(ctx, flags, kafka.Position{Kind: kafka.PositionTime, Time: b.o.Since}, c.AddFlag)
	b.unreadable = bad + worse
	return c, err
}

// rows returns one row per labelled incident, with the scores of its flag.
func (b *labelledFeedback) rows() []measure.Row {
	if b == nil {
		return nil
	}
	rows := make([]measure.Row, len(b.Incidents))
	for i := range b.Incidents {
		rows[i] = b.Row(&b.Incidents[i])
	}
	return rows
}

// limits lists what the labels cannot show.
func (b *labelledFeedback) limits() []string {
	if b == nil {
		return nil
	}
	list := b.Limitations()
	if b.unreadable > 0 {
		list = append(list, fmt.Sprintf("%d records of %s could not be read: they are left out", b.unreadable, strings.Join([]string{b.o.Topic, b.o.Incidents}, " and ")))
	}
	return list
}
