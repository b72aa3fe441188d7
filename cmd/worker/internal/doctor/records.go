package doctor

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"confab/internal/finding"
	"confab/internal/kafka"
)

// groups looks at the consumer groups of the roles.
func (d *clusterCheck) groups(ctx context.Context) {
	for _, g := range d.Grants {
		if g.Resource != kafka.ResourceGroup {
			continue
		}
		s := d.admin.Group(ctx, g.Name)
		d.report(checkGroup, g.Name, func(r *finding.Report) { examineGroup(r, &s) })
	}
}

func examineGroup(r *finding.Report, s *kafka.GroupState) {
	if len(s.Lost) > 0 {
		r.Fail("its committed offsets are no longer in the log of "+strings.Join(s.Lost, ", ")+": records were deleted unread",
			"raise retention.ms; then set kafka.on_data_loss: earliest to go on and count the loss")
	}
	behind := fmt.Sprintf("%s, %d members, %d records behind", s.State, s.Members, s.Lag)
	switch {
	case errors.Is(s.Err, kafka.ErrDenied):
		r.Fail("may not be described", "grant READ on it: `confab topics plan --principal User:NAME` prints the commands")
	case s.Err != nil:
		r.Skip(s.Err.Error(), "look again in a minute")
	case !s.Exists:
		r.OK("does not exist yet: the first run makes it")
	case s.Members == 0 && s.Lag > 0:
		r.Warn(fmt.Sprintf("no member, %d records behind", s.Lag), "start the worker")
	case s.Members > 0 && s.State != "Stable":
		r.Warn(behind, "wait a minute and look again; where it stays, a member joins and leaves: see its log")
	default:
		r.OK(behind)
	}
}

const (
	sampleDepth   = 5  // records looked at from the end of each partition
	sampleRecords = 20 // and of an input in all
)

// samples reads the last records of every input as the worker would, without its group.
func (d *clusterCheck) samples(ctx context.Context) {
	for _, topic := range d.Inputs {
		d.report(checkSample, topic, func(r *finding.Report) {
			if s := d.topics[topic]; s == nil || !s.Exists {
				r.Skip("the topic could not be looked at", "")
				return
			}
			d.sample(ctx, r, topic)
		})
	}
}

func (d *clusterCheck) sample(ctx context.Context, r *finding.Report, topic string) {
	reader, err := kafka.NewReader(kafka.ReaderOptions{
		Config: d.Kafka, Topics: []string{topic}, StopAtEnd: true,
		Start: kafka.Position{Kind: kafka.PositionLast, Offset: sampleDepth},
	})
	read, faults := 0, map[string]int{}
	if err == nil {
		err = reader.Read(ctx, func(rec *kafka.FetchedRecord) error {
			if rec.Value == nil {
				return nil // a tombstone, which the worker passes over
			}
			read++
			if err := d.Sample(ctx, rec); err != nil {
				faults[err.Error()]++
			}
			if read == sampleRecords {
				return kafka.ErrStop
			}
			return nil
		})
	}
	bad := 0
	var reasons []string
	for _, reason := range slices.Sorted(maps.Keys(faults)) {
		bad += faults[reason]
		reasons = append(reasons, fmt.Sprintf("%s (%d)", reason, faults[reason]))
	}
	detail := fmt.Sprintf("%d of the last %d records cannot be read: %s", bad, read, strings.Join(reasons, ", "))
	const remedy = "docs/interaction.md explains the reasons; correct the producer, or format, map and tenant_from of the input"
	switch {
	case err != nil:
		r.Skip(err.Error(), "grant READ where access rules are on")
	case read == 0:
		r.Skip("no records yet", "`confab produce` writes some")
	case bad == read:
		r.Fail(detail, remedy)
	case bad > 0:
		r.Warn(detail, remedy)
	default:
		r.OK(fmt.Sprintf("the last %d records can be read", read))
	}
}

// clock looks for records from the future. Kafka tells its own time to nobody who does not write, so a clock that is
// ahead on this machine stays unseen.
func (d *clusterCheck) clock(ctx context.Context) {
	d.report(checkClock, "", func(r *finding.Report) {
		var there []string
		for _, n := range d.Topics {
			if s := d.topics[n.Name]; s != nil && s.Exists {
				there = append(there, n.Name)
			}
		}
		if len(there) == 0 {
			r.Skip("no topic to look at", "")
			return
		}
		newest, err := d.admin.NewestTimestamps(ctx, there...)
		if err != nil {
			r.Skip(err.Error(), "brokers before Kafka 3.0 cannot tell; grant DESCRIBE where access rules are on")
			return
		}
		d.examineClock(r, newest)
	})
}

func (d *clusterCheck) examineClock(r *finding.Report, newest map[string]time.Time) {
	now := d.Now()
	for _, topic := range slices.Sorted(maps.Keys(newest)) {
		ahead := newest[topic].Sub(now)
		if ahead <= d.MaxClockSkew {
			continue
		}
		whose := "its producer"
		if d.topics[topic].Configs["message.timestamp.type"] == "LogAppendTime" {
			whose = "the broker"
		}
		r.Warn(fmt.Sprintf("a record of %s is stamped %s in the future: the clock of %s is ahead, or this machine's is behind",
			topic, ahead.Round(time.Second), whose), "let both set their clocks by NTP: retention and event age go by them")
	}
	switch {
	case len(newest) == 0:
		r.Skip("no records yet whose timestamps could tell", "")
	case len(r.Findings) == 0:
		r.OK("no record is stamped in the future; that this machine is ahead cannot be seen without writing")
	}
}
