package verify

import (
	"context"
	"encoding/hex"
	"errors"
	"fmt"
	"time"

	"confab/consumer"
	"confab/internal/kafka"
	"confab/internal/kafka/deadletter"
	"confab/internal/worker/cluster"
	"confab/schemas"
)

// whole is the index of what is about a whole record.
const whole = -1

// place is an interaction's place in the audited topic.
type place struct {
	partition int32
	index     int32
	offset    int64
}

// writtenFlag is a flag of the fast pass.
type writtenFlag struct {
	id      [16]byte // the start of the incident's
	repeats int
}

// outcomes are the flags and dead letters of the audited ranges.
type outcomes struct {
	ranges  map[int32]kafka.Range // by partition
	flags   map[place]writtenFlag
	letters map[place]int

	horizon      time.Time      // flags or dead letters of before it may have expired
	calibrations map[string]int // flags by the calibration that they name
	unreadable   int            // records of the topic of flags
}

// maxCalibrations bounds the calibrations that are counted.
const maxCalibrations = 100

func (o *outcomes) has(at place) bool {
	r, known := o.ranges[at.partition]
	return known && at.offset >= r.First && at.offset < r.End
}

// readOutcomes reads the topics of flags and of dead letters to their ends.
func (a *audit) readOutcomes(ctx context.Context) (*outcomes, error) {
	o := &outcomes{ranges: map[int32]kafka.Range{}, flags: map[place]writtenFlag{}, letters: map[place]int{}, calibrations: map[string]int{}}
	for _, r := range a.audited {
		o.ranges[r.Partition] = r
	}
	for topic, add := range map[string]func(context.Context, *kafka.FetchedRecord) error{
		a.Incidents: func(ctx context.Context, r *kafka.FetchedRecord) error { return a.addFlag(ctx, o, r) },
		a.DeadLetters: func(_ context.Context, r *kafka.FetchedRecord) error {
			a.addLetter(o, r)
			return nil
		},
	} {
		if err := cluster.RequireTopic(ctx, a.Kafka, topic); err != nil {
			return nil, err
		}
		started := map[int32]bool{}
		err := cluster.Read(ctx, kafka.ReaderOptions{Config: a.Kafka, Topics: []string{topic}}, a.Patience, func(r *kafka.FetchedRecord) error {
			if !started[r.Partition] {
				started[r.Partition] = true
				if r.Offset > 0 && r.Timestamp.After(o.horizon) {
					o.horizon = r.Timestamp
				}
			}
			return add(ctx, r)
		})
		if err != nil {
			return nil, err
		}
	}
	return o, nil
}

func (a *audit) addFlag(ctx context.Context, o *outcomes, r *kafka.FetchedRecord) error {
	var f schemas.Flag
	err := a.DecodeFlag(ctx, r.Value, &f)
	if _, poison := errors.AsType[*consumer.PoisonError](err); poison {
		o.unreadable++
		return nil
	}
	if err != nil {
		return fmt.Errorf("%s partition %d offset %d: %w", r.Topic, r.Partition, r.Offset, err)
	}
	at := place{f.Origin.Partition, int32(f.Origin.Index), f.Origin.Offset}
	if f.Pass != schemas.PassFast || f.Origin.Topic != a.result.Topic || !o.has(at) {
		return nil
	}
	if known, twice := o.flags[at]; twice {
		known.repeats++
		o.flags[at] = known
		return nil
	}
	o.flags[at] = writtenFlag{id: idStart(f.IncidentID)}
	if o.calibrations[f.Calibration] > 0 || len(o.calibrations) < maxCalibrations {
		o.calibrations[f.Calibration]++
	}
	return nil
}

// idStart is the start of an incident's id; zero if it is not hexadecimal.
func idStart(id string) (start [16]byte) {
	if len(id) >= 2*len(start) {
		_, _ = hex.Decode(start[:], []byte(id[:2*len(start)]))
	}
	return start
}

func (a *audit) addLetter(o *outcomes, r *kafka.FetchedRecord) {
	d := deadletter.Describe(r.Headers)
	at := place{d.Partition, int32(d.Index), d.Offset}
	if d.Topic == a.result.Topic && d.Group == a.Group && o.has(at) {
		o.letters[at]++
	}
}
