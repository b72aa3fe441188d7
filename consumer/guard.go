package consumer

import (
	"cmp"
	"encoding/json"
	"maps"
	"time"
)

// A record that ends its process (unbounded memory, an endless loop that the watchdog ends) would end every later owner
// of its partition as well. The metadata of committed offsets therefore names the records in work with their attempts, and
// the next owner reads it: see docs/adr/0018-crash-suspects.md.

const (
	noteFormat      = 1
	maxNotedRecords = 16 // records in one note: the broker refuses metadata above 4 KiB
	noRecord        = -1 // no offset

	// defaultWindow is how many records after the committed offset a crashed owner may have had in work.
	defaultWindow = 2_000
	smallBatch    = 64 // records
)

// ownerNote is the metadata that the owner of a partition commits, for the next owner after a crash.
type ownerNote struct {
	Format   int           `json:"confab"`
	Owner    string        `json:"owner,omitempty"`    // id of the loop that owns the partition; empty: it was given back
	Instance string        `json:"instance,omitempty"` // its static membership
	At       int64         `json:"at,omitempty"`       // Unix milliseconds of the start of the noted work
	Stuck    bool          `json:"stuck,omitempty"`    // the codec or handler did not return when canceled
	Record   *int64        `json:"record,omitempty"`   // offset of the record whose attempts include the owner's
	Attempts map[int64]int `json:"attempts,omitempty"` // by offset: owners that began the record and did not finish it
	Until    int64         `json:"until,omitempty"`    // an owner ended at a record below it
	Size     int           `json:"size,omitempty"`     // records below Until are processed in batches of so many
	Batch    int64         `json:"batch,omitempty"`    // end of the batch of several in work
}

// readOwnerNote decodes the metadata of a committed offset; false when it holds no note of this format.
func readOwnerNote(metadata string) (n ownerNote, ok bool) {
	err := json.Unmarshal([]byte(metadata), &n)
	return n, err == nil && n.Format == noteFormat
}

// guardOptions are the settings that the guards of a loop share.
type guardOptions struct {
	Owner    string        // id of the loop
	Instance string        // its static membership; may be empty
	Deaths   int           // attempts after which a record is a dead letter; 0: the guard is off
	Window   int64         // records after the committed offset that an owner may have in work; 2,000 when zero
	Waits    bool          // the handler calls other services: only slow records are counted
	Expiry   time.Duration // the group reassigns the partition of a dead owner no earlier than this
}

// crashGuard tracks, for one assignment, which records may have ended earlier owners. Its owner must hold a lock.
type crashGuard struct {
	guardOptions
	open     bool // records may be in work: the next owner looks for the record, unless the partition is given back
	stuck    bool // the codec or handler did not return when it was asked to
	at       time.Time
	attempts map[int64]int
	record   int64 // the record that this owner has counted itself for, or noRecord
	until    int64 // an earlier owner ended at a record below it
	size     int   // of batches below until; 0: as usual
	batchEnd int64 // of the batch in work
	written  string
}

func newCrashGuard(o guardOptions) crashGuard { return crashGuard{guardOptions: o, record: noRecord} }

// load reads the note that the last owner committed with the offset, and reports whether that owner ended without giving the
// partition back. Then the records that it may have had in work are processed in smaller batches.
func (g *crashGuard) load(metadata string, committed int64, now time.Time) (ended bool) {
	g.written = metadata
	note, ok := readOwnerNote(metadata)
	if g.Deaths == 0 || !ok {
		return false
	}
	g.attempts, g.until, g.size = note.Attempts, note.Until, max(note.Size, 0)
	if note.Owner == "" {
		return false
	}
	if !g.died(&note, now) {
		if note.Record != nil {
			g.discount(*note.Record)
		}
		return false
	}
	switch {
	case g.Waits:
	case note.Until > committed && note.Size > 0:
		if g.size = 1; note.Batch > 0 {
			g.until = min(g.until, note.Batch)
		}
	default:
		g.until, g.size = committed+cmp.Or(g.Window, defaultWindow), smallBatch
	}
	return true
}

// died reports whether the owner that wrote the note has ended. A live owner may also leave a note: it lost its session,
// or its last commit was refused during a rebalance. Then the partition moves at once, while the group waits for a dead
// member until its session or the rebalance times out, unless its instance has come back.
func (g *crashGuard) died(note *ownerNote, now time.Time) bool {
	switch {
	case note.Owner == g.Owner:
		return false
	case note.Stuck, note.Instance != "" && note.Instance == g.Instance:
		return true
	}
	return now.Sub(time.UnixMilli(note.At)) >= g.Expiry
}

// start notes that processing of a batch is about to start, and reports whether that must be committed for the next owner.
func (g *crashGuard) start(first, last int64, now time.Time) (changed bool) {
	if g.Deaths == 0 {
		return false
	}
	alone := g.alone(first)
	if changed = !g.open || g.careful(first) || alone; changed {
		g.open, g.at, g.batchEnd = true, now, last+1
	}
	if alone && !g.Waits && !g.exceedsLimit(first) {
		g.begin(first, now)
	}
	return changed
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
	if offset == g.record {
		return g.attempts[offset] - 1
	}
	return g.attempts[offset]
}

func (g *crashGuard) exceedsLimit(offset int64) bool {
	return g.Deaths > 0 && g.crashes(offset) >= g.Deaths
}

// careful reports whether an earlier owner may have ended at the record.
func (g *crashGuard) careful(offset int64) bool {
	return g.Deaths > 0 && g.size > 0 && offset < g.until
}

// alone reports whether the record must be a batch of its own.
func (g *crashGuard) alone(offset int64) bool {
	return g.Deaths > 0 && g.attempts[offset] > 0 || g.size == 1 && g.careful(offset)
}

// joins reports whether the next record may be in a batch of n records that begins with first.
func (g *crashGuard) joins(first, next int64, n int) bool {
	return !g.alone(first) && !g.alone(next) && (n < g.size || !g.careful(first))
}

// metadata returns the note to commit with the offset; "" when there is nothing to note.
func (g *crashGuard) metadata(committed int64) string {
	if g.Deaths == 0 {
		return ""
	}
	note := ownerNote{Format: noteFormat, Attempts: g.attempts}
	if len(g.attempts) > maxNotedRecords { // only the record in work matters
		note.Attempts = map[int64]int{g.record: g.attempts[g.record]}
	}
	if g.until > committed {
		note.Until, note.Size = g.until, g.size
	}
	if g.open {
		if note.Size > 1 {
			note.Batch = g.batchEnd
		}
		note.Owner, note.Instance, note.At, note.Stuck = g.Owner, g.Instance, g.at.UnixMilli(), g.stuck
		if _, counted := note.Attempts[g.record]; counted {
			note.Record = new(g.record)
		}
	}
	if !g.open && len(note.Attempts) == 0 && note.Until == 0 {
		return ""
	}
	text, err := json.Marshal(note)
	if err != nil { // a struct of numbers and a string
		return ""
	}
	return string(text)
}
