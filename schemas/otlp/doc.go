// Package otlp decodes interactions from spans and log records of OpenTelemetry, in protobuf or JSON.
// One record holds none, one or many interactions.
//
// Its heart are the tables of places where conventions have prompts and answers, in the order in which they count. Requests and
// responses within attributes are read by package llmapi. Conventions that are not known are counted, never guessed.
//
// Attributes are of the official generated types, which decode each span in protobuf by itself, so that a broken one costs no
// other. JSON is checked as a whole by package scan and then read into these types: a value of an odd type costs only itself,
// for which protojson would refuse the span. The parts of a record are counted, which bounds its memory.
package otlp
