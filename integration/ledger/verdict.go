package ledger

import (
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strconv"
)

// The passes over an interaction: that of every one, and that of sampled ones.
const (
	fast = "fast"
	deep = "deep"
)

// Verdict is what the books say about what came out.
type Verdict struct {
	Missing     int // incidents, by id and pass, that are not there
	Extra       int // incidents, by id and pass, that should not be there
	Unaccounted int // input records without the one outcome that they must have
	Duplicates  int // flags and dead letters beyond the first of their input record
	AfterID     int // of those, flags that do not carry the id of the first: no reader could remove them
	Examples    []string
}

// Err is nil for a run in which nothing was lost, nothing made up and nothing doubled beyond removal.
func (v *Verdict) Err() error {
	if v.Missing+v.Extra+v.Unaccounted+v.AfterID == 0 {
		return nil
	}
	return fmt.Errorf("the books do not balance: missing %d, extra %d, unaccounted %d, %d duplicates that no id removes; for example %q",
		v.Missing, v.Extra, v.Unaccounted, v.AfterID, v.Examples)
}

// String is the middle of the reporting line.
func (v *Verdict) String() string {
	return fmt.Sprintf("missing %d, extra %d, duplicate %d (%d after id), unaccounted %d",
		v.Missing, v.Extra, v.Duplicates, v.AfterID, v.Unaccounted)
}

func (v *Verdict) example(format string, args ...any) {
	if len(v.Examples) < 5 {
		v.Examples = append(v.Examples, fmt.Sprintf(format, args...))
	}
}

// identity is what makes two flags the same.
type identity struct{ incident, pass string }

// outcomes are what came of each input record.
type outcomes struct {
	flags   map[Place][]identity
	letters map[Place][]string
}

// Judge holds the incidents and the dead letters of a run against the books. An error is a record that cannot be read.
func (b *Books) Judge(incidents, letters []Record) (*Verdict, error) {
	o := outcomes{flags: map[Place][]identity{}, letters: map[Place][]string{}}
	for _, r := range incidents {
		at, id, err := readFlag(r)
		if err != nil {
			return nil, fmt.Errorf("incident at %v: %w", r.Place, err)
		}
		o.flags[at] = append(o.flags[at], id)
	}
	for _, r := range letters {
		at, err := readLetter(r)
		if err != nil {
			return nil, fmt.Errorf("dead letter at %v: %w", r.Place, err)
		}
		o.letters[at] = append(o.letters[at], string(r.Value))
	}
	v := &Verdict{}
	b.compareSets(v, o)
	b.account(v, o)
	return v, nil
}

// compareSets compares what must be there with what is, as sets of identities: all that a reader who removes repeats sees.
func (b *Books) compareSets(v *Verdict, o outcomes) {
	want, got := map[identity]bool{}, map[identity]bool{}
	for _, id := range b.Flags {
		for _, pass := range b.Passes {
			want[identity{id, pass}] = true
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
			v.example("missing: incident %s, pass %s", id.incident, id.pass)
		}
	}
	for id := range got {
		if !want[id] {
			v.Extra++
			v.example("extra: incident %s, pass %s", id.incident, id.pass)
		}
	}
}

// account looks for the outcome of each input record, and for outcomes without one.
func (b *Books) account(v *Verdict, o outcomes) {
	for at, id := range b.Flags {
		lacks := func(pass string) bool { return !slices.Contains(o.flags[at], identity{id, pass}) }
		if slices.ContainsFunc(b.Passes, lacks) || len(o.letters[at]) > 0 {
			v.unaccounted(at, "an interaction without its flag, or with a dead letter")
		}
	}
	for at, value := range b.Letters {
		if !slices.Contains(o.letters[at], value) || len(o.flags[at]) > 0 {
			v.unaccounted(at, "poison without its dead letter, or with a flag")
		}
	}
	for at, list := range o.flags {
		if !b.speaks(at) {
			v.unaccounted(at, "a flag of a record that nothing comes of")
		}
		v.repeats(list)
	}
	for at, list := range o.letters {
		if !b.speaks(at) {
			v.unaccounted(at, "a dead letter of a record that nothing comes of")
		}
		v.Duplicates += len(list) - 1
	}
}

// speaks says that something must come of the record.
func (b *Books) speaks(at Place) bool {
	_, flag := b.Flags[at]
	_, letter := b.Letters[at]
	return flag || letter
}

func (v *Verdict) unaccounted(at Place, what string) {
	v.Unaccounted++
	v.example("unaccounted: partition %d offset %d: %s", at.Partition, at.Offset, what)
}

// repeats counts the flags of one input record beyond the first of each pass.
func (v *Verdict) repeats(list []identity) {
	first := map[string]identity{}
	for _, id := range list {
		before, again := first[id.pass]
		switch {
		case !again:
			first[id.pass] = id
			continue
		case id != before:
			v.AfterID++
			v.example("incident %s repeats as %s", before.incident, id.incident)
		}
		v.Duplicates++
	}
}

func readFlag(r Record) (Place, identity, error) {
	var f struct {
		Incident string `json:"incident_id"`
		Pass     string `json:"pass"`
		Origin   *struct {
			Partition int32 `json:"partition"`
			Offset    int64 `json:"offset"`
		} `json:"origin"`
	}
	if err := json.Unmarshal(r.Value, &f); err != nil {
		return Place{}, identity{}, err
	}
	if f.Origin == nil || f.Incident != r.Key {
		return Place{}, identity{}, fmt.Errorf("incident %q under key %q, origin %v", f.Incident, r.Key, f.Origin)
	}
	return Place{f.Origin.Partition, f.Origin.Offset}, identity{f.Incident, f.Pass}, nil
}

// readLetter takes the place of the original from the headers that Kafka Connect uses.
func readLetter(r Record) (Place, error) {
	p, perr := strconv.ParseInt(r.Headers["__connect.errors.partition"], 10, 32)
	o, oerr := strconv.ParseInt(r.Headers["__connect.errors.offset"], 10, 64)
	return Place{int32(p), o}, errors.Join(perr, oerr)
}
