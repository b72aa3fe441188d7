// Package avro turns the Avro form of Confab's records into the types of package schemas and back: interactions and
// flags, framed as schema registries expect them. It is the only place that knows how these records look as Avro, and
// the only one that speaks goavro.
//
// A value is read with the schema that wrote it and projected by name onto today's fields: what the writer did not know
// takes our default, what we do not know is ignored and counted, what was renamed is found by its aliases. Logarithms of
// token probabilities come packed in token_logprobs; nested records of them are no form of an interaction.
//
// goavro trusts sizes that it reads, recurses as deep as the schema says and passes bytes that are no UTF-8. So schemas
// are judged when they are loaded, and a value is walked over, without an allocation, before goavro sees it. The package
// does no I/O, and its errors never hold text of the record they are about.
package avro
