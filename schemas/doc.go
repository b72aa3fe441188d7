// Package schemas is the vocabulary that every room of Confab speaks: the [Interaction] that applications write, the
// [Signal] a rule makes of a detector's finding, the [Flag] that is one complete verdict, and the [Alert] that on-call
// reads. It holds value types, the identities derived from them and the published Avro and JSON schemas.
//
// It refuses everything else: no wire format, no I/O, nothing outside the standard library.
package schemas
