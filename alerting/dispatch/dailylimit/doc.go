// Package dailylimit counts the messages about new problems that were posted in the last 24 hours, and says whether there
// may be one more. The limit is divided among the partitions of llm.alerts, so that replicas need not ask each other: the
// sum over all partitions never exceeds it, on any replica. The caller owns the lock, the clock and the writes.
package dailylimit
