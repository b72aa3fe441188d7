// Package ledger keeps the books of a run in which workers are killed: what was written to the input topic, what must
// therefore have come out, and what did come out. The sums are done here, without a line of the worker's code: even the
// incident ids are computed anew, from the definition in docs/identity.md.
//
// The tests of this package run the built worker as child processes against an embedded broker, and behind the build tag
// integration against three real ones, and hold the outcome against the books. docs/testing/delivery.md describes both.
package ledger
