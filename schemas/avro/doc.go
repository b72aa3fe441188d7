// Package avro converts Confab's records between their Avro form and the types of package schemas: interactions and
// flags, framed as schema registries expect them. It is the only package that uses goavro.
//
// goavro decodes a value with its writer's schema into maps. One mapper reads these into our records by the names of fields,
// which are tags of the structs: missing fields keep their defaults, unknown ones are ignored and counted, renamed ones are
// found by their aliases. Log probabilities are packed in token_logprobs; there is no form with nested records.
//
// goavro trusts sizes in the data, and accepts bytes that are not UTF-8. Therefore every value is checked before, from its
// first byte to its last, against the same types (walk.go has all limits). The package does no I/O, and its errors hold no
// text of the record.
package avro
