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
