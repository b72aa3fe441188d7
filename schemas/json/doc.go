// Package json turns the JSON form of Confab's records into the types of package schemas and back: interactions (the
// hot path: one pass over the bytes, no reflection, no allocation in the steady state), flags, alert states and labelled
// rows. It is the only place that knows how these records look as JSON.
//
// It refuses what two readers could understand differently (duplicate keys, case variants of known names, bytes that
// are no UTF-8) and what could hurt (values over a cap, deep nesting, more items than anyone means), each with a reason
// from a closed set. It does no I/O, and its errors never hold text of the record they are about.
package json
