// Package avro converts Confab's records between their Avro form and the types of package schemas: interactions and
// flags, framed as schema registries expect them. It is the only package that uses goavro.
//
// A value is decoded with its writer's schema and projected by name onto today's fields: missing fields take their
// defaults, unknown ones are ignored and counted, renamed ones are found by their aliases. Log probabilities are packed
// in token_logprobs; there is no form with nested records.
//
// Interactions are decoded without an allocation: a schema is compiled when it is loaded, a value is checked from its first
// byte to its last, which finds the places of the known fields, and then the fields are read from there. goavro decodes
// flags, checks the names in schemas, and is what the tests compare with. It trusts sizes in the data, recurses as deep as
// the schema does and accepts bytes that are not UTF-8: schemas are checked when they are loaded, values before they are
// decoded, and both are limited to what goavro can take. The package does no I/O, and its errors hold no text of the record.
package avro
