package forget

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"time"
	"unicode/utf8"

	"confab/internal/console"
	"confab/internal/kafka"
	"confab/internal/worker/cluster"
	"confab/internal/worker/incidents"
	"confab/internal/worker/records"
	"confab/schemas"
	"confab/schemas/json"
)

// Options say what to forget, and where it is.
type Options struct {
	Kafka       kafka.Config
	Topics      []Topic
	Labels      string // the topic of labels, to which marks are written
	DeadLetters string // the topic of dead letters
	Open        func(cluster string) (read records.RecordReader, done func(), err error)
	Votes       incidents.Votes
	DecodeFlag  func(ctx context.Context, value []byte, f *schemas.Flag) error

	Selection  Selection
	SkipInputs bool // do not read topics of interactions
	Write      bool // otherwise nothing is changed
	User       string
	Now        func() time.Time
	Timeout    time.Duration    // without a record or an acknowledgement
	Progress   func(record int) // may be nil
}

// maxUser bounds the name of who deletes, in characters.
const maxUser = 128

// recordsPerWrite bounds the records whose acknowledgements are awaited together.
const recordsPerWrite = 500

// Run reads the topics and, with Write, deletes what can be deleted. It may be repeated at any time. If the error is about
// writes, the result says what was written.
func Run(ctx context.Context, o *Options) (*Result, error) {
	if err := o.check(); err != nil {
		return nil, err
	}
	states, id, err := describeTopics(ctx, o)
	if err != nil {
		return nil, err
	}
	decode, done, err := o.Open(id)
	if err != nil {
		return nil, err
	}
	defer done()
	s := newScanner(o, decode)
	if err := s.all(ctx, states); err != nil {
		return nil, fmt.Errorf("nothing was changed: %w", withRemedy(err))
	}
	writes, err := s.writes()
	if err != nil {
		return nil, err
	}
	if len(writes) > 0 && !states[o.Labels].Exists {
		return nil, fmt.Errorf("topic %s does not exist, to which the marks are written: create it with `confab topics apply`", o.Labels)
	}
	result := s.result(states, len(writes))
	if !o.Write {
		return result, nil
	}
	err = writeAll(ctx, o, writes, &result.Written)
	return result, err
}

func (o *Options) check() error {
	if err := o.Selection.check(); err != nil {
		return err
	}
	if utf8.RuneCountInString(o.User) > maxUser || !utf8.ValidString(o.User) {
		return console.InputErrorf("--user: at most %d characters of UTF-8", maxUser)
	}
	if o.SkipInputs && len(o.Selection.Attributes) > 0 {
		return console.InputErrorf("--attribute selects by interactions: leave --skip-inputs out")
	}
	return nil
}

// all reads the topics that exist, in the order of their kinds.
func (s *scanner) all(ctx context.Context, states map[string]*kafka.TopicState) error {
	topics := slices.Clone(s.Topics)
	slices.SortStableFunc(topics, func(a, b Topic) int { return int(a.Kind) - int(b.Kind) })
	for _, t := range topics {
		if !states[t.Name].Exists || s.SkipInputs && t.Kind == Interactions {
			continue
		}
		if err := s.topic(ctx, t); err != nil {
			return err
		}
	}
	return nil
}

// withRemedy adds to an error of access what helps.
func withRemedy(err error) error {
	if errors.Is(err, kafka.ErrDenied) {
		return fmt.Errorf("%w: grant READ on it (`confab topics plan --principal`), or leave topics of interactions out with --skip-inputs", err)
	}
	return err
}

func describeTopics(ctx context.Context, o *Options) (states map[string]*kafka.TopicState, id string, err error) {
	names := []string{o.Labels}
	for _, t := range o.Topics {
		names = append(names, t.Name)
	}
	slices.Sort(names)
	err = cluster.WithAdmin(ctx, o.Kafka, func(ctx context.Context, admin *kafka.Admin) error {
		if id, err = admin.ClusterID(ctx); err != nil {
			return err
		}
		states, err = admin.Topics(ctx, slices.Compact(names)...)
		return err
	})
	for name, s := range states {
		if err == nil && s.Err != nil {
			err = fmt.Errorf("describe topic %s: %w", name, s.Err)
		}
	}
	return states, id, err
}

// writes are the marks and the records without a value that delete what was found.
func (s *scanner) writes() (all []kafka.Message, err error) {
	for _, g := range s.groups {
		for _, id := range g.incidents {
			s.incidents[id].held = true
		}
	}
	at := s.Now().UTC()
	for _, id := range slices.Sorted(maps.Keys(s.incidents)) {
		in := s.incidents[id]
		if !in.known || in.marked && !in.held {
			continue
		}
		mark := schemas.Feedback{IncidentID: id, Verdict: schemas.Forgotten, User: s.User, Source: schemas.FromCLI, At: at}
		value, err := json.AppendFeedback(nil, &mark)
		if err != nil {
			return nil, err
		}
		partitions := in.partitions
		if len(partitions) == 0 {
			partitions = []int32{kafka.AnyPartition}
		}
		for _, p := range partitions {
			all = append(all, kafka.Message{Topic: s.Labels, Partition: p, Key: []byte(id), Value: value})
		}
	}
	for at := range s.entries {
		all = append(all, kafka.Message{Topic: at.topic, Partition: at.partition, Key: []byte(at.key)})
	}
	return all, nil
}

func writeAll(ctx context.Context, o *Options, all []kafka.Message, written *int) error {
	if len(all) == 0 {
		return nil
	}
	p, err := kafka.NewProducer(o.Kafka)
	if err != nil {
		return err
	}
	defer p.Close()
	for part := range slices.Chunk(all, recordsPerWrite) {
		if err := writePart(ctx, o.Timeout, p, part); err != nil {
			return fmt.Errorf("%d of %d records are written, further ones may be; run the same command again: %w", *written, len(all), err)
		}
		*written += len(part)
	}
	return nil
}

func writePart(ctx context.Context, timeout time.Duration, p *kafka.Producer, part []kafka.Message) error {
	ctx, cancel := context.WithTimeout(ctx, timeout)
	defer cancel()
	return p.ProduceSync(ctx, part...)
}
