package assignment

import (
	"cmp"
	"encoding/json"
	"maps"
	"time"
)

// A record that ends its process (unbounded memory, an endless loop that the watchdog ends) would end every later owner
// of its partition as well. The metadata of committed offsets therefore names the records in work, and the next owner
// reads it: see docs/adr/0018-crash-suspects.md.

const (
	noteFormat      = 1
	maxNotedRecords = 16 // records in one note: the broker refuses metadata above 4 KiB
	noRecord        = -1 // no offset
)

const (
	// CarefulRecords is how many records after the committed offset a crashed owner may have had in work.
	CarefulRecords = 2_000

	carefulBatch = 64 // records
)

// OwnerNote is the metadata that the owner of a partition commits, for the next owner after a crash.
type OwnerNote struct {
	Format       int           `json:"confab"`
	Owner        string        `json:"owner,omitempty"`         // id of the loop that owns the partition; empty: it was given back
	Instance     string        `json:"instance,omitempty"`      // its static membership
	At           int64         `json:"at,omitempty"`            // Unix milliseconds of the start of the noted work
	Stuck        bool          `json:"stuck,omitempty"`         // the codec or handler did not return when canceled
	Record       *int64        `json:"record,omitempty"`        // offset of the record whose attempts include the owner's
	Attempts     map[int64]int `json:"attempts,omitempty"`      // by offset: owners that began the record and did not finish it
	CarefulUntil int64         `json:"careful_until,omitempty"` // records below it are processed in small batches
	BatchUntil   int64         `json:"batch_until,omitempty"`   // the small batch in work ends before it
	AloneUntil   int64         `json:"alone_until,omitempty"`   // records below it are processed one at a time
}

// ReadOwnerNote decodes the metadata of a committed offset; false when it holds no note of this format.
func ReadOwnerNote(metadata string) (n OwnerNote, ok bool) {
	err := json.Unmarshal([]byte(metadata), &n)
	return n, err == nil && n.Format == noteFormat
}

// GuardOptions are the settings that the guards of a loop share.
type GuardOptions struct {
	Owner    string        // id of the loop
	Instance string        // its static membership; may be empty
	Deaths   int           // attempts after which a record is a dead letter; 0: the guard is off
	Careful  int64         // records after the committed offset that an owner may have in work; CarefulRecords when zero
	Expiry   time.Duration // the group reassigns the partition of a dead owner no earlier than this
}

// crashGuard tracks, for one assignment, which records may have ended earlier owners.
type crashGuard struct {
	GuardOptions
	open         bool // records may be in work: the next owner isolates records unless the partition is given back
	stuck        bool // the codec or handler did not return when it was asked to
	at           time.Time
	attempts     map[int64]int
	record       int64 // the record that this owner has counted itself for, or noRecord
	carefulUntil int64
	batchUntil   int64
	aloneUntil   int64
	written      string // metadata of the last commit
}

// window is how many records are careful after a crash.
func (g *crashGuard) window() int64 { return cmp.Or(g.Careful, CarefulRecords) }

func newCrashGuard(o GuardOptions) crashGuard { return crashGuard{GuardOptions: o, record: noRecord} }

// load reads the note of the last owner and reports whether that owner ended without giving the partition back.
func (g *crashGuard) load(metadata string, now time.Time) (ended bool) {
	g.written = metadata
	note, ok := ReadOwnerNote(metadata)
	if g.Deaths == 0 || !ok {
		return false
	}
	g.attempts, g.carefulUntil, g.aloneUntil = note.Attempts, note.CarefulUntil, note.AloneUntil
	if note.Owner != "" && !g.died(&note, now) {
		if note.Record != nil {
			g.discount(*note.Record)
		}
		return false
	}
	g.aloneUntil = max(g.aloneUntil, note.BatchUntil)
	return note.Owner != ""
}

// died reports whether the owner that wrote the note has ended. A live owner may also leave a note: it lost its session,
// or its last commit was refused during a rebalance. Then the partition moves at once, while the group waits for a dead
// member until its session or the rebalance times out, unless its instance has come back.
func (g *crashGuard) died(note *OwnerNote, now time.Time) bool {
	switch {
	case note.Owner == g.Owner:
		return false
	case note.Stuck, note.Instance != "" && note.Instance == g.Instance:
		return true
	}
	return now.Sub(time.UnixMilli(note.At)) >= g.Expiry
}

// begin counts this owner among those that started the record and reports whether the note changed.
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

// uncount removes this owner's count: it did not end at the record.
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

// forget drops the counts of completed records: those below the offset.
func (g *crashGuard) forget(below int64) {
	maps.DeleteFunc(g.attempts, func(offset int64, _ int) bool { return offset < below })
}

// crashes returns how many earlier owners ended while they processed the record.
func (g *crashGuard) crashes(offset int64) int {
	n := g.attempts[offset]
	if offset == g.record {
		n--
	}
	return n
}

func (g *crashGuard) suspect(offset int64) bool { return g.Deaths > 0 && g.crashes(offset) > 0 }

func (g *crashGuard) exceedsLimit(offset int64) bool {
	return g.Deaths > 0 && g.crashes(offset) >= g.Deaths
}

// isolated reports whether the record must be a batch of its own.
func (g *crashGuard) isolated(offset int64) bool {
	return g.Deaths > 0 && (offset < g.aloneUntil || g.attempts[offset] > 0)
}

// careful reports whether the batch of the record must be noted before it is processed.
func (g *crashGuard) careful(offset int64) bool { return g.Deaths > 0 && offset < g.carefulUntil }

// joins reports whether the next record may be in a batch of n records that begins with first.
func (g *crashGuard) joins(first, next int64, n int) bool {
	return !g.isolated(first) && !g.isolated(next) && (n < carefulBatch || !g.careful(first))
}

// metadata returns the note to commit with the offset; "" when there is nothing to note.
func (g *crashGuard) metadata(committed int64) string {
	if g.Deaths == 0 {
		return ""
	}
	above := func(until int64) int64 {
		if until > committed {
			return until
		}
		return 0
	}
	note := OwnerNote{Format: noteFormat, Attempts: g.attempts, CarefulUntil: above(g.carefulUntil), AloneUntil: above(g.aloneUntil)}
	if len(g.attempts) > maxNotedRecords { // only the record in work matters
		note.Attempts = map[int64]int{g.record: g.attempts[g.record]}
	}
	if g.open {
		note.Owner, note.Instance, note.At, note.Stuck = g.Owner, g.Instance, g.at.UnixMilli(), g.stuck
		note.BatchUntil = above(g.batchUntil)
		if _, counted := note.Attempts[g.record]; counted {
			note.Record = new(g.record)
		}
	}
	if !g.open && len(note.Attempts) == 0 && note.CarefulUntil == 0 && note.AloneUntil == 0 {
		return ""
	}
	text, err := json.Marshal(note)
	if err != nil { // a struct of numbers and a string
		return ""
	}
	return string(text)
}
