package assignment

import (
	"encoding/json"
	"maps"
	"time"
)

// A record that ends its process (memory without end, a loop that the watchdog ends) would end every later owner of its
// partition as well. What an owner works on therefore travels as the metadata of its committed offsets, and the next
// owner reads it: see docs/adr/0018-crash-suspects.md.

const (
	noteFormat      = 1
	maxNotedRecords = 16 // records in one note: the broker refuses metadata above 4 KiB
	noRecord        = -1 // no offset
)

// CarefulRecords is how many records behind the committed offset an owner that ended may have had in work.
const CarefulRecords = 2_000

// OwnerNote is what the owner of a partition leaves for the next one, in case that it ends without giving it back.
type OwnerNote struct {
	Format       int           `json:"confab"`
	Owner        string        `json:"owner,omitempty"`         // the loop that works on the partition; empty: it was given back
	Instance     string        `json:"instance,omitempty"`      // its static membership
	At           int64         `json:"at,omitempty"`            // when it began what the note is about, Unix milliseconds
	Stuck        bool          `json:"stuck,omitempty"`         // its codec or handler did not return when it was asked to
	Record       *int64        `json:"record,omitempty"`        // offset of the record whose attempts include the owner's
	Attempts     map[int64]int `json:"attempts,omitempty"`      // by offset: owners that began the record and did not finish it
	CarefulUntil int64         `json:"careful_until,omitempty"` // records below it are processed one at a time
}

// ReadOwnerNote is the note in the metadata of a committed offset; false where other software or no note was written.
func ReadOwnerNote(metadata string) (n OwnerNote, ok bool) {
	err := json.Unmarshal([]byte(metadata), &n)
	return n, err == nil && n.Format == noteFormat
}

// GuardOptions are what the guards of a loop have in common.
type GuardOptions struct {
	Owner    string        // id of the loop
	Instance string        // its static membership; may be empty
	Deaths   int           // attempts after which a record is a dead letter; 0: the guard is off
	Expiry   time.Duration // an owner that died keeps the partition at least that long: the group waits for it
}

// crashGuard is what one assignment of a partition knows of records that may end the process.
type crashGuard struct {
	GuardOptions
	open         bool // records may be in work: the next owner has to be careful unless the partition is given back
	stuck        bool // the codec or handler did not return when it was asked to
	at           time.Time
	attempts     map[int64]int
	record       int64 // the record that this owner has counted itself for; noRecord
	carefulUntil int64
	written      string // metadata of the last commit
}

func newCrashGuard(o GuardOptions) crashGuard { return crashGuard{GuardOptions: o, record: noRecord} }

// load takes over what the last owner left and reports whether it ended without giving the partition back.
func (g *crashGuard) load(metadata string, now time.Time) (ended bool) {
	g.written = metadata
	note, ok := ReadOwnerNote(metadata)
	if g.Deaths == 0 || !ok {
		return false
	}
	g.attempts, g.carefulUntil = note.Attempts, note.CarefulUntil
	if note.Owner != "" && !g.died(&note, now) {
		if note.Record != nil {
			g.discount(*note.Record)
		}
		return false
	}
	return note.Owner != ""
}

// died reports whether the owner that wrote the note has ended. One that lives may leave a note as well: it has lost its
// session, or its last commit was refused during a rebalance. Then the partition moves at once, while the group waits
// for a dead member until its session or the rebalance times out, unless its instance has come back.
func (g *crashGuard) died(note *OwnerNote, now time.Time) bool {
	switch {
	case note.Owner == g.Owner:
		return false
	case note.Stuck, note.Instance != "" && note.Instance == g.Instance:
		return true
	}
	return now.Sub(time.UnixMilli(note.At)) >= g.Expiry
}

// begin counts this owner among those that began the record and reports whether that is news.
func (g *crashGuard) begin(offset int64, now time.Time) bool {
	if g.Deaths == 0 || g.record == offset {
		return false
	}
	g.uncount()
	if g.attempts == nil {
		g.attempts = make(map[int64]int)
	}
	g.record, g.at = offset, now
	g.attempts[offset]++
	return true
}

// uncount takes this owner's count back: it did not end at the record.
func (g *crashGuard) uncount() {
	g.discount(g.record)
	g.record = noRecord
}

func (g *crashGuard) discount(offset int64) {
	switch n := g.attempts[offset]; {
	case n > 1:
		g.attempts[offset] = n - 1
	case n == 1:
		delete(g.attempts, offset)
	}
}

// forget drops what is known of records below the offset: they are done.
func (g *crashGuard) forget(below int64) {
	maps.DeleteFunc(g.attempts, func(offset int64, _ int) bool { return offset < below })
}

// crashes is how many earlier owners ended while they worked on the record.
func (g *crashGuard) crashes(offset int64) int {
	n := g.attempts[offset]
	if offset == g.record {
		n--
	}
	return n
}

// suspect reports whether an earlier owner ended while it worked on the record.
func (g *crashGuard) suspect(offset int64) bool { return g.Deaths > 0 && g.crashes(offset) > 0 }

// exceedsLimit reports whether so many owners ended at the record that it is not to be worked on again.
func (g *crashGuard) exceedsLimit(offset int64) bool {
	return g.Deaths > 0 && g.crashes(offset) >= g.Deaths
}

// isolated reports whether the record is to be a batch of its own.
func (g *crashGuard) isolated(offset int64) bool {
	return g.Deaths > 0 && (offset < g.carefulUntil || g.attempts[offset] > 0)
}

// metadata is what is to be written beside the committed offset.
func (g *crashGuard) metadata(committed int64) string {
	if g.Deaths == 0 {
		return ""
	}
	note := OwnerNote{Format: noteFormat, Attempts: g.attempts}
	if g.carefulUntil > committed {
		note.CarefulUntil = g.carefulUntil
	}
	if len(g.attempts) > maxNotedRecords { // only the record in work matters then
		note.Attempts = map[int64]int{g.record: g.attempts[g.record]}
	}
	if g.open {
		note.Owner, note.Instance, note.At, note.Stuck = g.Owner, g.Instance, g.at.UnixMilli(), g.stuck
		if _, counted := note.Attempts[g.record]; counted {
			note.Record = new(g.record)
		}
	}
	if !g.open && len(note.Attempts) == 0 && note.CarefulUntil == 0 {
		return ""
	}
	text, err := json.Marshal(note)
	if err != nil { // a struct of numbers and a string
		return ""
	}
	return string(text)
}
