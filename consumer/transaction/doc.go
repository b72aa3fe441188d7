// Package transaction is the consumer loop of exactly-once delivery: poll, decode and handle, then one transaction with all
// output, all dead letters and the offsets of the poll. Readers with isolation level read_committed see each of them once.
//
// Nothing is written while a batch is handled: the output is collected and its sizes are checked first. A batch whose
// transaction does not commit is fetched and handled again. When the end of a transaction has no result, the loop forgets
// everything, opens a new session, which ends the old transaction, and resumes from the committed offsets. It never
// produces a record a second time outside a transaction that is known to be aborted. See docs/adr/0030-exactly-once.md.
package transaction
