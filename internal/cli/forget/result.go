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
	Incidents int      `json:"incidents"`
	Tenants   []string `json:"tenants"`
	Rows      []Row    `json:"topics"`
	Messages  []string `json:"messages"` // of alerts that show incidents: channel and timestamp
	Records   int      `json:"planned"`  // to write
	Written   int      `json:"written"`
}

// Empty reports that nothing was found.
func (r *Result) Empty() bool {
	return r.Records == 0 && !slices.ContainsFunc(r.Rows, func(row Row) bool { return row.Records != nil && *row.Records > 0 })
}

// Row is a topic. Without a time in Until, Why says when its records go.
type Row struct {
	Topic      string     `json:"topic"`
	Records    *int       `json:"records"`    // nil: it was not read
	Unreadable int        `json:"unreadable"` // further records, which cannot be decoded and were not searched
	Fate       string     `json:"fate"`       // what becomes of them
	Until      *time.Time `json:"gone_by"`
	Why        string     `json:"why,omitempty"`
}

// The fates of records.
const (
	fateStays   = "stay"
	fateDeleted = "deleted"
	fateAlert   = "deleted by role alert"
	fateIgnored = "ignored, stay"
)

func (s *scanner) result(states map[string]*kafka.TopicState, writes int) *Result {
	r := &Result{Tenants: append([]string{}, slices.Sorted(maps.Keys(s.tenants))...), Rows: []Row{}, Records: writes}
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
	r.Messages = append([]string{}, slices.Sorted(maps.Keys(shown))...)
	return r
}

func (s *scanner) row(t Topic, state *kafka.TopicState) Row {
	c := s.counts[t.Name]
	if c == nil {
		return Row{Topic: t.Name, Fate: fateStays, Why: "not counted"}
	}
	row := Row{Topic: t.Name, Records: &c.records, Unreadable: c.unreadable}
	if c.records+c.unreadable == 0 {
		return row
	}
	compacts := strings.Contains(state.Configs["cleanup.policy"], "compact")
	row.Fate = fateStays
	switch {
	case t.Kind == AlertState:
		row.Fate = fateAlert
	case t.Kind == Entries, t.Kind == Votes, t.Kind == Labels && compacts:
		row.Fate = fateDeleted
	case t.Kind == Labels:
		row.Fate = fateIgnored
	}
	row.Until, row.Why = s.goneBy(state, row.Fate == fateDeleted || row.Fate == fateAlert, c.newest)
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

// goneBy is when a record is gone at the latest, or why that is not known. In a compacted topic a replaced record goes at a
// compaction. Elsewhere a segment goes once its newest record is too old, and takes records for up to segment.ms.
func (s *scanner) goneBy(state *kafka.TopicState, replaced bool, newest time.Time) (at *time.Time, why string) {
	lag, compactsInTime := topicDuration(state, "max.compaction.lag.ms")
	keep, expires := topicDuration(state, "retention.ms")
	roll, _ := topicDuration(state, "segment.ms")
	switch {
	case state.ConfigsErr != nil:
		return nil, whyUnknown
	case replaced && !compactsInTime:
		return nil, whyCompacted
	case replaced:
		return new(s.Now().Add(lag).UTC()), ""
	case !expires || !strings.Contains(state.Configs["cleanup.policy"], "delete"):
		return nil, whyForever
	}
	return new(newest.Add(keep + roll).UTC()), ""
}
