// Package assignment holds one assignment of a partition to this group member: the queue of fetched records, the
// watermark of what is done, and the crash guard, which finds records that end their process. Bounds of logs, group
// requests, processor slots and the outbox of a batch are here too. It does not decode or handle records and starts no
// goroutine.
package assignment
