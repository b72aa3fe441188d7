package hold

import "time"

// Key is what an item waits for, such as a trace.
type Key [16]byte

// Limits bound a buffer and a memory.
type Limits struct {
	Wait  time.Duration // how long an item waits, by the wall clock and by the times of records
	Items int
	Bytes int
}

// Reason is why an item waits no longer.
type Reason string

// The reasons.
const (
	KeyArrived Reason = "arrived"     // its key arrived; it may wait again
	TimeLimit  Reason = "time_limit"  // it has waited for Limits.Wait
	BufferFull Reason = "buffer_full" // too many others wait
)

// Reasons lists all reasons.
func Reasons() []Reason { return []Reason{KeyArrived, TimeLimit, BufferFull} }

// Request is what a codec asks for a record.
type Request uint8

// The requests.
const (
	ProcessNow   Request = iota // the record does not wait
	WaitForKey                  // decode it again when its key has arrived or its limit ends; nothing of it was returned
	KeepUnmarked                // it is processed now, but its offset is not committed until its key is settled
)

// Turn is one decoding of a record of a partition that holds records. The zero Turn is of a partition that holds none.
type Turn struct {
	Open  bool   // the record may wait
	Ended Reason // why it waits no longer, if it has waited

	// The codec sets the rest.
	Ask     Request
	Key     Key
	Bytes   int  // what the codec keeps in memory for the item that waits for the key; 0: as before
	Arrives bool // items that wait for the key go on
	Settles bool // items whose offsets are kept for the key are done
}
