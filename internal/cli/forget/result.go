package forget

import (
	"maps"
	"slices"
	"strconv"
	"strings"
	"time"

	"confab/internal/kafka"
)

// Result is what the topics hold of what is forgotten.
type Result struct {
	Incidents int
	Tenants   []string
	Rows      []Row
	Messages  []string // of alerts that show incidents: channel and timestamp
	Records   int      // to write
	Written   int
}

// Empty reports that nothing was found.
func (r *Result) Empty() bool {
	return r.Records == 0 && !slices.ContainsFunc(r.Rows, func(row Row) bool { return row.Records > 0 })
}

// Row is a topic. Without a time in Until, Why says when its records go.
type Row struct {
	Topic      string
	Skipped    bool // it was not read
	Records    int
	Unreadable int    // of Records: they match by their bytes only
	Fate       string // what becomes of them
	Until      time.Time
	Why        string
}

// The fates of records.
const (
	fateStays   = "stay"
	fateDeleted = "deleted"
	fateAlert   = "deleted by role alert"
	fateIgnored = "ignored, stay"
)

func (s *scanner) result(states map[string]*kafka.TopicState, writes int) *Result {
	r := &Result{Tenants: slices.Sorted(maps.Keys(s.tenants)), Records: writes}
	for _, in := range s.incidents {
		if in.known {
			r.Incidents++
		}
	}
	for at := range s.groups {
		s.counts[at.topic].records++
	}
	for at := range s.entries {
		s.counts[at.topic].records++
	}
	for _, t := range s.Topics {
		if states[t.Name].Exists {
			r.Rows = append(r.Rows, s.row(t, states[t.Name]))
		}
	}
	shown := map[string]bool{}
	for _, g := range s.groups {
		shown[g.message] = true
	}
	delete(shown, "")
	r.Messages = slices.Sorted(maps.Keys(shown))
	return r
}

func (s *scanner) row(t Topic, state *kafka.TopicState) Row {
	c := s.counts[t.Name]
	if c == nil {
		return Row{Topic: t.Name, Skipped: true, Fate: fateStays, Why: "not counted"}
	}
	row := Row{Topic: t.Name, Records: c.records, Unreadable: c.unreadable, Fate: fateStays}
	if c.records == 0 {
		row.Fate = ""
		return row
	}
	compacts := strings.Contains(state.Configs["cleanup.policy"], "compact")
	switch {
	case t.Kind == AlertState:
		row.Fate = fateAlert
	case t.Kind == Entries, t.Kind == Labels && compacts:
		row.Fate = fateDeleted
	case t.Kind == Labels:
		row.Fate = fateIgnored
	}
	if row.Fate == fateDeleted || row.Fate == fateAlert {
		row.Until, row.Why = s.compacted(state)
	} else {
		row.Until, row.Why = retainedUntil(state, c.newest)
	}
	return row
}

const (
	whyUnknown   = "unknown: grant DESCRIBE_CONFIGS"
	whyForever   = "never: no retention"
	whyCompacted = "at a compaction without a time limit"
)

// topicDuration is a setting in milliseconds; false if there is none, or no limit.
func topicDuration(state *kafka.TopicState, name string) (time.Duration, bool) {
	ms, err := strconv.ParseInt(state.Configs[name], 10, 64)
	if err != nil || ms < 0 || ms > maxMillis {
		return 0, false
	}
	return time.Duration(ms) * time.Millisecond, true
}

// maxMillis is above every limit that means one: Kafka's default of some is the largest int64.
const maxMillis = int64(100 * 365 * 24 * time.Hour / time.Millisecond)

// retainedUntil is when a record of a topic that deletes by age is gone at the latest: a segment goes once its newest record is
// too old, and takes records for up to segment.ms.
func retainedUntil(state *kafka.TopicState, newest time.Time) (time.Time, string) {
	if state.ConfigsErr != nil {
		return time.Time{}, whyUnknown
	}
	keep, limited := topicDuration(state, "retention.ms")
	if !limited || !strings.Contains(state.Configs["cleanup.policy"], "delete") {
		return time.Time{}, whyForever
	}
	roll, _ := topicDuration(state, "segment.ms")
	return newest.Add(keep + roll).UTC(), ""
}

// compacted is when a replaced record of a compacted topic is gone at the latest.
func (s *scanner) compacted(state *kafka.TopicState) (time.Time, string) {
	if state.ConfigsErr != nil {
		return time.Time{}, whyUnknown
	}
	lag, limited := topicDuration(state, "max.compaction.lag.ms")
	if !limited {
		return time.Time{}, whyCompacted
	}
	return s.Now().Add(lag).UTC(), ""
}
