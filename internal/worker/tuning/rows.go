package tuning

import (
	"context"
	"time"

	"confab/calibration/measure"
	"confab/calibration/tune"
	"confab/internal/kafka"
	"confab/internal/worker/cluster"
	"confab/internal/worker/incidents"
	"confab/schemas"
)

// ReadOptions locate flags and people's labels.
type ReadOptions struct {
	Kafka     kafka.Config
	Incidents string // the topic of the flags
	Labels    string // the topic of people's labels
	Decode    incidents.FlagDecoder
	Since     time.Time         // of the answers
	Until     time.Time         // zero: now
	Progress  func(records int) // called after every record; may be nil
}

// Notes say what rows stand for.
type Notes struct {
	Answers     []measure.Row // recorded answers; each weighs as many as it stands for
	PerDay      float64       // answers a day; 0: unknown
	Judged      int           // sampled answers with a verdict of the judge
	People      int           // who labelled
	Fingerprint string        // of the rows
	Limits      []string      // what the rows cannot show, one sentence each
}

// ReadRows reads the judged answers of a time: sampled ones with a verdict of the judge, and those that people labelled. One
// service, tenant, conversation or person has at most maxShare of the weight. It keeps no text, and a bounded number of answers.
func ReadRows(ctx context.Context, o ReadOptions) ([]tune.Row, Notes, error) {
	s, err := readAnswers(ctx, &o)
	if err != nil {
		return nil, Notes{}, err
	}
	j := s.join(numOwners, "")
	return rowsOf(j.rows), j.notes(), nil
}

func rowsOf(judged []judgedRow) []tune.Row {
	rows := make([]tune.Row, len(judged))
	for i := range judged {
		rows[i] = judged[i].Row
	}
	return rows
}

// readAnswers reads labels and flags.
func readAnswers(ctx context.Context, o *ReadOptions) (*answerStore, error) {
	for _, topic := range []string{o.Labels, o.Incidents} {
		if err := cluster.RequireTopic(ctx, o.Kafka, topic); err != nil {
			return nil, err
		}
	}
	s := newAnswerStore(maxAnswers)
	bad, err := incidents.EachLabel(ctx, o.Kafka, o.Labels, s.addLabel)
	if err != nil {
		return nil, err
	}
	flags := &incidents.FindOptions{Kafka: o.Kafka, Topic: o.Incidents, Decode: o.Decode, Progress: o.Progress}
	start := kafka.Position{Kind: kafka.PositionTime, Time: o.Since}
	worse, err := incidents.EachFlag(ctx, flags, start, func(f *schemas.Flag) error {
		if o.Until.IsZero() || f.DetectedAt.Before(o.Until) {
			s.addFlag(f)
		}
		return nil
	})
	if err != nil {
		return nil, err
	}
	s.unreadable = bad + worse
	return s, err
}
