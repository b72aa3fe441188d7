// Package assignment holds one assignment of a partition to this group member: the queue of fetched records, the
// watermark of completed records, and the crash guard, which finds records that end their process. It also has partition
// bounds, requests of the group protocol, processor slots and the outbox of a batch. It does not decode or handle records
// and starts no goroutine.
package assignment
