// Package topicrange reads where a range of a topic starts and ends, as people write it on the command line.
package topicrange

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"confab/internal/console"
	"confab/internal/kafka"
	"confab/internal/worker/cluster"
)

// Selection is a range of one topic. Empty texts are the ends of the log.
type Selection struct {
	Topic       string
	Partitions  []int32 // empty: all
	From, Until string  // see Parse
}

// Resolve returns the offsets of the selected partitions, sorted, as far as the log has them. Errors about the texts are
// [console.InputError].
func (s *Selection) Resolve(ctx context.Context, cfg kafka.Config, now time.Time) (ranges []kafka.Range, err error) {
	from, until := kafka.Position{}, kafka.Position{Kind: kafka.PositionEnd}
	for _, bound := range []struct {
		flag, text string
		at         *kafka.Position
	}{{"--from", s.From, &from}, {"--until", s.Until, &until}} {
		if bound.text == "" {
			continue
		}
		if *bound.at, err = Parse(bound.text, now); err != nil {
			return nil, &console.InputError{Err: fmt.Errorf("%s %q: %w", bound.flag, console.Sanitize(bound.text), err)}
		}
	}
	n, err := cluster.PartitionCount(ctx, cfg, s.Topic)
	if err != nil {
		return nil, err
	}
	for _, p := range s.Partitions {
		if p < 0 || int(p) >= n {
			return nil, &console.InputError{Err: fmt.Errorf("--partitions %d: topic %s has the partitions 0 to %d", p, s.Topic, n-1)}
		}
	}
	err = cluster.WithAdmin(ctx, cfg, func(ctx context.Context, admin *kafka.Admin) error {
		ranges, err = admin.Ranges(ctx, s.Topic, from, until)
		return err
	})
	if len(s.Partitions) > 0 {
		ranges = slices.DeleteFunc(ranges, func(r kafka.Range) bool { return !slices.Contains(s.Partitions, r.Partition) })
	}
	return ranges, err
}

// Parse reads an offset, such as 1200; a time, such as 2026-11-21T10:00:00Z; or how long ago, such as 36h or 7d.
func Parse(text string, now time.Time) (kafka.Position, error) {
	if n, err := strconv.ParseInt(text, 10, 64); err == nil && n >= 0 {
		return kafka.Position{Kind: kafka.PositionOffset, Offset: n}, nil
	}
	at, err := Time(text, now)
	if err != nil {
		return kafka.Position{}, errors.New("write an offset, a time such as 2026-11-21T10:00:00Z, or how long ago, such as 36h or 7d")
	}
	return kafka.Position{Kind: kafka.PositionTime, Time: at}, nil
}

// maxAge bounds how long ago a time is.
const maxAge = 10 * 365 * 24 * time.Hour

// Time reads a time, such as 2026-11-21T10:00:00Z, the beginning of a day in UTC, such as 2026-11-21, or how long ago, such as 36h
// or 7d.
func Time(text string, now time.Time) (time.Time, error) {
	if at, err := time.Parse(time.RFC3339, text); err == nil {
		return at, nil
	}
	if day, err := time.Parse(time.DateOnly, text); err == nil {
		return day, nil
	}
	age, err := time.ParseDuration(text)
	if whole, ok := strings.CutSuffix(text, "d"); ok {
		var n int
		n, err = strconv.Atoi(whole)
		age = time.Duration(max(-1, min(n, 100_000))) * 24 * time.Hour
	}
	if err != nil || age < 0 || age > maxAge {
		return time.Time{}, errors.New("write a time such as 2026-11-21 or 2026-11-21T10:00:00Z, or how long ago, such as 36h or 7d")
	}
	return now.Add(-age), nil
}
