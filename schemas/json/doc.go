// Package json converts Confab's records between their JSON form and the types of package schemas: interactions (the hot
// path: one pass over the bytes, no reflection, no allocation in the steady state), flags, alert states, feedback and
// labelled rows.
//
// It refuses ambiguous values (duplicate keys, case variants of known names, bytes that are not UTF-8) and expensive ones
// (size, nesting and list lengths over a limit), each with a reason from a closed set. It does no I/O, and its errors
// hold no text of the record.
package json
