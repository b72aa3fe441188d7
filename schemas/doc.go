// Package schemas holds the types that all packages share: the [Interaction] that applications write, the [Signal] that a
// rule makes of a detector's finding, the [Flag] with the complete verdict, and the [Alert] that on-call reads. It also
// holds the identities derived from them and the published Avro and JSON schemas. It has no codecs and no I/O.
package schemas
