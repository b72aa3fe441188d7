// Package avro converts Confab's records between their Avro form and the types of package schemas: interactions and
// flags, framed as schema registries expect them. It is the only package that uses goavro.
//
// A value is decoded with its writer's schema and projected by name onto today's fields: missing fields take their
// defaults, unknown ones are ignored and counted, renamed ones are found by their aliases. Log probabilities are packed
// in token_logprobs; there is no form with nested records.
//
// goavro trusts sizes in the data, recurses as deep as the schema does and accepts bytes that are not UTF-8. So schemas
// are checked when they are loaded, and values, without an allocation, before goavro decodes them. The package does no
// I/O, and its errors hold no text of the record.
package avro
