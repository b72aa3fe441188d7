package integration

import (
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
)

// The passes: one over every interaction, one over sampled ones.
const (
	fast = "fast"
	deep = "deep"
)

// AuditResult is the difference between the required and the actual output.
type AuditResult struct {
	Missing     int // absent incidents, by id and pass
	Extra       int // incidents that are not required, by id and pass
	Unaccounted int // input records without their required output
	Duplicates  int // flags and dead letters after the first of their input record
	AfterID     int // of those, flags with another id than the first: readers cannot remove them by id
	Examples    []string
}

// Err is nil if nothing is lost, nothing is extra, and ids suffice to remove all duplicates.
func (v *AuditResult) Err() error {
	if v.Missing+v.Extra+v.Unaccounted+v.AfterID == 0 {
		return nil
	}
	return fmt.Errorf("audit failed: missing %d, extra %d, unaccounted %d, %d duplicates that no id removes; for example %q",
		v.Missing, v.Extra, v.Unaccounted, v.AfterID, v.Examples)
}

// Once is nil if, besides, nothing is repeated.
func (v *AuditResult) Once() error {
	if err := v.Err(); err != nil || v.Duplicates == 0 {
		return err
	}
	return fmt.Errorf("audit failed: %d duplicates; for example %q", v.Duplicates, v.Examples)
}

// String returns the middle of the report line.
func (v *AuditResult) String() string {
	return fmt.Sprintf("missing %d, extra %d, duplicate %d (%d after id), unaccounted %d",
		v.Missing, v.Extra, v.Duplicates, v.AfterID, v.Unaccounted)
}

func (v *AuditResult) addExample(format string, args ...any) {
	if len(v.Examples) < 5 {
		v.Examples = append(v.Examples, fmt.Sprintf(format, args...))
	}
}

// flagIdentity identifies a flag.
type flagIdentity struct{ incident, pass string }

// recordOutcomes is the output by input record.
type recordOutcomes struct {
	flags   map[RecordPosition][]flagIdentity
	letters map[RecordPosition][]string
}

// AuditCopies compares the copies of sampled interactions with those of a run that samples every interaction.
func (b *Expected) AuditCopies(copies []Record) (*AuditResult, error) {
	v, seen := &AuditResult{}, map[RecordPosition]int{}
	for _, r := range copies {
		at, err := readOrigin(r.Headers["confab-origin"])
		if err != nil {
			return nil, fmt.Errorf("copy at %v: %w", r.RecordPosition, err)
		}
		seen[at]++
	}
	for at := range b.Flags {
		if seen[at] == 0 {
			v.addUnaccounted(at, "an interaction without its copy")
		}
	}
	for at, n := range seen {
		if _, ok := b.Flags[at]; !ok {
			v.addUnaccounted(at, "a copy of what is no interaction")
		}
		if n > 1 {
			v.addExample("partition %d offset %d has %d copies", at.Partition, at.Offset, n)
		}
		v.Duplicates += n - 1
	}
	return v, nil
}

// Audit compares the incidents and the dead letters of a run with the required output. An error is an unreadable record.
func (b *Expected) Audit(incidents, letters []Record) (*AuditResult, error) {
	o := recordOutcomes{flags: map[RecordPosition][]flagIdentity{}, letters: map[RecordPosition][]string{}}
	for _, r := range incidents {
		at, id, err := readFlag(r)
		if err != nil {
			return nil, fmt.Errorf("incident at %v: %w", r.RecordPosition, err)
		}
		o.flags[at] = append(o.flags[at], id)
	}
	for _, r := range letters {
		at, err := readLetter(r)
		if err != nil {
			return nil, fmt.Errorf("dead letter at %v: %w", r.RecordPosition, err)
		}
		o.letters[at] = append(o.letters[at], string(r.Value))
	}
	v := &AuditResult{}
	b.compareSets(v, o)
	b.account(v, o)
	return v, nil
}

// compareSets compares required and actual flags as sets of identities, as a reader who removes duplicates sees them.
func (b *Expected) compareSets(v *AuditResult, o recordOutcomes) {
	want, got := map[flagIdentity]bool{}, map[flagIdentity]bool{}
	for _, id := range b.Flags {
		for _, pass := range b.Passes {
			want[flagIdentity{id, pass}] = true
		}
	}
	for _, list := range o.flags {
		for _, id := range list {
			got[id] = true
		}
	}
	for id := range want {
		if !got[id] {
			v.Missing++
			v.addExample("missing: incident %s, pass %s", id.incident, id.pass)
		}
	}
	for id := range got {
		if !want[id] {
			v.Extra++
			v.addExample("extra: incident %s, pass %s", id.incident, id.pass)
		}
	}
}

// account checks the output of each input record, and output without an input record.
func (b *Expected) account(v *AuditResult, o recordOutcomes) {
	for at, id := range b.Flags {
		lacks := func(pass string) bool { return !slices.Contains(o.flags[at], flagIdentity{id, pass}) }
		if slices.ContainsFunc(b.Passes, lacks) || len(o.letters[at]) > 0 {
			v.addUnaccounted(at, "an interaction without its flag, or with a dead letter")
		}
	}
	for at, value := range b.DeadLetters {
		if !slices.Contains(o.letters[at], value) || len(o.flags[at]) > 0 {
			v.addUnaccounted(at, "poison without its dead letter, or with a flag")
		}
	}
	for at, list := range o.flags {
		if !b.hasOutcome(at) {
			v.addUnaccounted(at, "a flag of a record that nothing comes of")
		}
		v.countRepeats(list)
	}
	for at, list := range o.letters {
		if !b.hasOutcome(at) {
			v.addUnaccounted(at, "a dead letter of a record that nothing comes of")
		}
		v.Duplicates += len(list) - 1
	}
}

// hasOutcome reports whether the record requires output.
func (b *Expected) hasOutcome(at RecordPosition) bool {
	_, flag := b.Flags[at]
	_, letter := b.DeadLetters[at]
	return flag || letter
}

func (v *AuditResult) addUnaccounted(at RecordPosition, what string) {
	v.Unaccounted++
	v.addExample("unaccounted: partition %d offset %d: %s", at.Partition, at.Offset, what)
}

// countRepeats counts the flags of one input record after the first of each pass.
func (v *AuditResult) countRepeats(list []flagIdentity) {
	first := map[string]flagIdentity{}
	for _, id := range list {
		before, again := first[id.pass]
		switch {
		case !again:
			first[id.pass] = id
			continue
		case id != before:
			v.AfterID++
			v.addExample("incident %s repeats as %s", before.incident, id.incident)
		}
		v.Duplicates++
	}
}

func readFlag(r Record) (RecordPosition, flagIdentity, error) {
	var f struct {
		Incident string `json:"incident_id"`
		Pass     string `json:"pass"`
		Origin   *struct {
			Partition int32 `json:"partition"`
			Offset    int64 `json:"offset"`
		} `json:"origin"`
	}
	if err := json.Unmarshal(r.Value, &f); err != nil {
		return RecordPosition{}, flagIdentity{}, err
	}
	if f.Origin == nil || f.Incident != r.Key {
		return RecordPosition{}, flagIdentity{}, fmt.Errorf("incident %q under key %q, origin %v", f.Incident, r.Key, f.Origin)
	}
	return RecordPosition{Partition: f.Origin.Partition, Offset: f.Origin.Offset}, flagIdentity{f.Incident, f.Pass}, nil
}

// readOrigin returns the position of the original record of a copy: version;topic;partition;offset;index;tenant.
func readOrigin(header string) (RecordPosition, error) {
	parts := strings.Split(header, ";")
	if len(parts) != 6 || parts[0] != "1" {
		return RecordPosition{}, fmt.Errorf("origin %q", header)
	}
	p, perr := strconv.ParseInt(parts[2], 10, 32)
	o, oerr := strconv.ParseInt(parts[3], 10, 64)
	return RecordPosition{Partition: int32(p), Offset: o}, errors.Join(perr, oerr)
}

// readLetter returns the position of the original record from Kafka Connect's headers.
func readLetter(r Record) (RecordPosition, error) {
	p, perr := strconv.ParseInt(r.Headers["__connect.errors.partition"], 10, 32)
	o, oerr := strconv.ParseInt(r.Headers["__connect.errors.offset"], 10, 64)
	return RecordPosition{Partition: int32(p), Offset: o}, errors.Join(perr, oerr)
}
