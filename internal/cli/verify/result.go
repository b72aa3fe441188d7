package verify

import (
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"
	"time"

	"confab/internal/console"
	"confab/internal/kafka"
)

// Result counts what became of the interactions of the audited offsets. A record without interactions counts as one.
type Result struct {
	Topic      string `json:"topic"`
	Partitions int    `json:"partitions"`
	Offsets    int64  `json:"offsets"` // audited
	Empty      int64  `json:"empty"`   // offsets without a record: markers of transactions, aborted or compacted records
	Behind     int64  `json:"behind"`  // offsets of the ranges that are not committed, and not audited

	Flagged     int `json:"flagged"`
	Quiet       int `json:"quiet"`
	DeadLetters int `json:"dead_letters"`
	Tombstones  int `json:"tombstones"`
	LeftOut     int `json:"left_out"` // by their input
	Expired     int `json:"expired"`  // no outcome is found, but flags of that time have expired
	Lost        int `json:"lost"`

	Repeated int `json:"repeated"`  // further flags and dead letters of one interaction: equal ids
	Both     int `json:"both"`      // with a flag and a dead letter
	OtherIDs int `json:"other_ids"` // with a flag under another id than the record has now

	Examples []Lost   `json:"lost_records"` // the first ones
	Notes    []string `json:"notes,omitempty"`
}

// Lost is an interaction without an outcome.
type Lost struct {
	Partition int32     `json:"partition"`
	Offset    int64     `json:"offset"`
	Index     int       `json:"index"` // -1: the record
	Time      time.Time `json:"time"`
	Why       string    `json:"why"`
}

func (a *audit) add(r *kafka.FetchedRecord, v *verdict) {
	res := a.result
	res.Repeated += v.repeats
	if v.both {
		res.Both++
	}
	if v.otherID {
		res.OtherIDs++
	}
	if v.kind == lost && r.Timestamp.Before(a.outcomes.horizon) {
		res.Expired++
		return
	}
	*[]*int{flagged: &res.Flagged, quiet: &res.Quiet, deadLetter: &res.DeadLetters, tombstone: &res.Tombstones, leftOut: &res.LeftOut, lost: &res.Lost}[v.kind]++
	if v.kind == lost && len(res.Examples) < a.Lost {
		res.Examples = append(res.Examples, Lost{r.Partition, r.Offset, v.index, r.Timestamp.UTC(), v.why})
	}
}

// finish adds what the counts need to be understood.
func (a *audit) finish() {
	res := a.result
	res.Empty = res.Offsets - int64(a.read)
	note := func(when bool, format string, args ...any) {
		if when {
			res.Notes = append(res.Notes, fmt.Sprintf(format, args...))
		}
	}
	note(a.outcomes.unreadable > 0, "%d records of %s are not flags", a.outcomes.unreadable, a.Incidents)
	note(res.Expired > 0, "flags or dead letters of before %s may have expired: start later with --from", a.outcomes.horizon.UTC().Format(time.RFC3339))
	note(res.OtherIDs > 0, "flags have other ids than their records have now: was tenant_from or a map changed?")
	delete(a.outcomes.calibrations, a.Evaluator.Calibration())
	for _, id := range slices.Sorted(maps.Keys(a.outcomes.calibrations)) {
		note(!a.EmitAll, "%d flags are of calibration %s, and this one is %s: name that file with --calibration", a.outcomes.calibrations[id], console.Sanitize(id), a.Evaluator.Calibration())
	}
}

// Print prints one line, then the lost records that the result holds.
func Print(w io.Writer, r *Result) error {
	var b strings.Builder
	fmt.Fprintf(&b, "%s: %d offsets of %d partitions: %d flagged, %d quiet, %d dead letters, %d tombstones", r.Topic, r.Offsets, r.Partitions,
		r.Flagged, r.Quiet, r.DeadLetters, r.Tombstones)
	for _, part := range []struct {
		n    int64
		name string
	}{
		{int64(r.LeftOut), "left out by the input"},
		{r.Empty, "without a record"},
		{int64(r.Repeated), "repeated"},
		{int64(r.Both), "with a flag and a dead letter"},
		{int64(r.OtherIDs), "with another id"},
		{int64(r.Expired), "expired"},
		{r.Behind, "not committed yet"},
	} {
		if part.n > 0 {
			fmt.Fprintf(&b, ", %d %s", part.n, part.name)
		}
	}
	fmt.Fprintf(&b, "; lost: %d\n", r.Lost)
	for _, l := range r.Examples {
		fmt.Fprintf(&b, "lost: partition %d offset %d", l.Partition, l.Offset)
		if l.Index != whole {
			fmt.Fprintf(&b, " index %d", l.Index)
		}
		fmt.Fprintf(&b, " of %s: %s\n", l.Time.Format(time.RFC3339), l.Why)
	}
	if more := r.Lost - len(r.Examples); more > 0 && len(r.Examples) > 0 {
		fmt.Fprintf(&b, "%d more are lost: --show %d prints all\n", more, r.Lost)
	}
	return console.Printf(w, "%s", b.String())
}
