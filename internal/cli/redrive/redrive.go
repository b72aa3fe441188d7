package redrive

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"confab/internal/kafka/deadletter"

	"confab/internal/console"
	"confab/internal/kafka"
	"confab/internal/worker/cluster"
	"confab/internal/worker/config"
	"confab/internal/worker/records"
)

// Options say which dead letters are sent again, and where.
type Options struct {
	Kafka       kafka.Config
	DeadLetters string   // their topic
	Topics      []string // to which they may go back: those that Confab reads
	To          string   // where all of them go instead; "": back

	Stages, Reasons []string  // only these; empty: all
	Since, Until    time.Time // only letters of this time; zero: open
	MaxAttempts     int       // a record that was a dead letter so often stays one

	Write    bool                                   // otherwise nothing is sent
	Permit   func(ctx context.Context, n int) error // waits until n more records may be sent
	Burst    int                                    // records that are sent together
	Timeout  time.Duration                          // without a record or an acknowledgement
	Progress func(record int)                       // may be nil
}

// Topics are those that Confab reads, to which dead letters may go back.
func Topics(c *config.Config) []string {
	names := append(c.Kafka.InputTopics(), c.Kafka.Topics.Sampled, c.Kafka.Topics.Incidents)
	slices.Sort(names)
	return slices.Compact(names)
}

// Run reads the dead letters and, with Write, sends them in the order of their partitions. Letters that are written meanwhile
// stay. If the error is about writes, the result says what was sent.
func Run(ctx context.Context, o *Options) (*Result, error) {
	if err := o.check(); err != nil {
		return nil, err
	}
	s := &sender{Options: o, open: map[kafka.RecordPosition]int64{}}
	if err := s.describe(ctx); err != nil {
		return nil, cluster.WithRole(err, "redrive")
	}
	planned, err := s.scan(ctx, nil)
	if err != nil {
		return nil, cluster.WithRole(err, "redrive")
	}
	if !o.Write || planned.Planned == 0 {
		return planned, nil
	}
	p, err := kafka.NewProducer(o.Kafka)
	if err != nil {
		return nil, err
	}
	defer p.Close()
	sent, err := s.scan(ctx, p)
	if err != nil {
		err = fmt.Errorf("%d of %d records were sent, further ones may be; the same command sends them again: %w", sent.Sent, planned.Planned, err)
	}
	return sent, cluster.WithRole(err, "redrive")
}

func (o *Options) check() error {
	for _, filter := range []struct {
		flag         string
		given, known []string
	}{{"--stage", o.Stages, records.Stages()}, {"--reason", o.Reasons, records.Reasons()}} {
		for _, name := range filter.given {
			if !slices.Contains(filter.known, name) {
				return console.InputErrorf("%s %s: no dead letter of Confab has it; expected some of %s", filter.flag, console.Sanitize(name), strings.Join(filter.known, ", "))
			}
		}
	}
	switch {
	case o.MaxAttempts < 1:
		return console.InputErrorf("--max-attempts %d: expected 1 or more", o.MaxAttempts)
	case !o.Since.IsZero() && !o.Until.IsZero() && !o.Since.Before(o.Until):
		return console.InputErrorf("--since %s is not before --until %s", o.Since.Format(time.RFC3339), o.Until.Format(time.RFC3339))
	case o.To == o.DeadLetters:
		return console.InputErrorf("--to %s is the topic of the dead letters: name another one", o.To)
	}
	return nil
}

// sender reads the dead letters of fixed ranges.
type sender struct {
	*Options

	ranges     []kafka.Range
	partitions map[string]int // of the topics to send to
	read       int

	open map[kafka.RecordPosition]int64 // offsets by partition from which no record comes in time: a transaction is open there
}

// describe looks up the range of the dead letters and the topics to which they go.
func (s *sender) describe(ctx context.Context) error {
	targets := s.Topics
	if s.To != "" {
		targets = []string{s.To}
	}
	if err := cluster.RequireTopic(ctx, s.Kafka, s.DeadLetters); err != nil {
		return err
	}
	from := kafka.Position{}
	if !s.Since.IsZero() {
		from = kafka.Position{Kind: kafka.PositionTime, Time: s.Since}
	}
	err := cluster.WithAdmin(ctx, s.Kafka, func(ctx context.Context, admin *kafka.Admin) (err error) {
		if s.ranges, err = admin.Ranges(ctx, s.DeadLetters, from, kafka.Position{Kind: kafka.PositionEnd}); err != nil {
			return err
		}
		s.partitions, err = admin.PartitionCounts(ctx, targets...)
		return err
	})
	if err == nil && s.To != "" && s.partitions[s.To] == 0 {
		return console.InputErrorf("--to %s: the topic does not exist, or may not be described: create it with the tools of Kafka, or grant DESCRIBE", s.To)
	}
	return err
}

// scan reads the selected dead letters once and sends those that may go; p is nil for a plan.
func (s *sender) scan(ctx context.Context, p *kafka.Producer) (*Result, error) {
	b := &batch{sender: s, producer: p, result: &Result{Rows: []*Row{}, byReason: map[[2]string]*Row{}}, seen: map[place]bool{}}
	s.read = 0
	if len(s.ranges) == 0 {
		return b.result, nil
	}
	err := cluster.Read(ctx, kafka.ReaderOptions{Config: s.Kafka, Ranges: s.ranges}, s.Timeout, func(r *kafka.FetchedRecord) error {
		if s.read++; s.Progress != nil {
			s.Progress(s.read)
		}
		l := &letter{Description: deadletter.Describe(r.Headers), record: *r}
		if !s.selects(l) {
			b.result.NotSelected++
			return nil
		}
		return b.add(ctx, l)
	})
	if err == nil {
		err = b.flush(ctx)
	}
	b.result.sort()
	return b.result, err
}

func (s *sender) selects(l *letter) bool {
	at := l.record.Timestamp
	return (len(s.Stages) == 0 || slices.Contains(s.Stages, l.Stage)) && (len(s.Reasons) == 0 || slices.Contains(s.Reasons, l.Reason)) &&
		!at.Before(s.Since) && (s.Until.IsZero() || at.Before(s.Until))
}
