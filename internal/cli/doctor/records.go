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

// groups checks the consumer groups of the roles.
func (d *clusterCheck) groups(ctx context.Context) {
	for _, g := range d.Grants {
		if g.Resource != kafka.ResourceGroup {
			continue
		}
		s := d.admin.Group(ctx, g.Name)
		unread := d.unread(ctx, g.Name)
		d.report(checkGroup, g.Name, func(r *finding.Report) {
			if unread != "" {
				r.Warn(unread, readFromStart)
			}
			examineGroup(r, &s)
		})
	}
}

// unread describes the records that a group will not read, because partitions without a committed offset start at their
// end; "" for none.
func (d *clusterCheck) unread(ctx context.Context, group string) string {
	i := slices.IndexFunc(d.Starts, func(s kafka.GroupStart) bool { return s.Group == group && s.FromEnd })
	if i < 0 {
		return ""
	}
	there := slices.DeleteFunc(slices.Clone(d.Starts[i].Topics), func(t string) bool { return d.topics[t] == nil || !d.topics[t].Exists })
	if len(there) == 0 {
		return ""
	}
	sums, err := d.admin.Uncommitted(ctx, group, there...)
	if err != nil {
		return "" // the group's own finding has the reason
	}
	var parts []string
	for _, sum := range sums {
		if sum.Offsets > 0 {
			compacts := !strings.EqualFold(d.topics[sum.Topic].Configs["cleanup.policy"], "delete")
			noun := "partitions"
			if sum.Partitions == 1 {
				noun = "partition"
			}
			parts = append(parts, fmt.Sprintf("%s: no committed offset in %d %s, which start at the end: %s before it will not be read",
				sum.Topic, sum.Partitions, noun, kafka.CountRecords(sum.Offsets, compacts)))
		}
	}
	return strings.Join(parts, "; ")
}

// readFromStart is the remedy of records that are not read.
const readFromStart = "to read them, set kafka.start_offset: earliest or start with `confab run --from-start`; else ignore this"

func examineGroup(r *finding.Report, s *kafka.GroupState) {
	if len(s.Lost) > 0 {
		r.Fail("its committed offsets are no longer in the log of "+strings.Join(s.Lost, ", ")+": records were deleted unread",
			"raise retention.ms; then set kafka.on_data_loss: earliest to go on and count the loss")
	}
	behind := fmt.Sprintf("%s, %d members, %d records behind", s.State, s.Members, s.Lag)
	switch {
	case errors.Is(s.Err, kafka.ErrDenied) && s.Exists:
		r.Skip("its lag may not be read: "+s.Err.Error(), "grant READ on its topics")
	case errors.Is(s.Err, kafka.ErrDenied):
		r.Fail("may not be described", "grant READ on it: `confab topics plan --principal User:NAME` prints the commands")
	case s.Err != nil:
		r.Skip(s.Err.Error(), "run the doctor again in a minute")
	case !s.Exists:
		r.OK("does not exist yet: the first run creates it")
	case s.Members == 0 && s.Lag > 0:
		r.Warn(fmt.Sprintf("no member, %d records behind", s.Lag), "start the worker")
	case s.Members > 0 && s.State != "Stable":
		r.Warn(behind, "run the doctor again in a minute; if this stays, a member joins and leaves repeatedly: read its log")
	default:
		r.OK(behind)
	}
}

// clock looks for records with timestamps in the future. A clock of this machine that is ahead cannot be detected: brokers
// show their time only in response to writes.
func (d *clusterCheck) clock(ctx context.Context) {
	d.report(checkClock, "", func(r *finding.Report) {
		var there []string
		for _, n := range d.Topics {
			if s := d.topics[n.Name]; s != nil && s.Exists {
				there = append(there, n.Name)
			}
		}
		if len(there) == 0 {
			r.Skip("no topic can be read", "")
			return
		}
		newest, err := d.admin.NewestTimestamps(ctx, there...)
		if err != nil {
			r.Skip(err.Error(), "brokers before Kafka 3.0 do not support this; grant DESCRIBE if access rules are on")
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
			topic, ahead.Round(time.Second), whose), "synchronize both clocks by NTP: retention and event age depend on them")
	}
	switch {
	case len(newest) == 0:
		r.Skip("no records yet", "")
	case len(r.Findings) == 0:
		r.OK("no record has a timestamp in the future; whether this machine's clock is ahead cannot be checked without writing")
	}
}
