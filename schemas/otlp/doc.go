// Package otlp decodes interactions from spans and log records of OpenTelemetry: those in the conventions of GenAI (both
// generations), OpenInference and OpenLLMetry, in protobuf or JSON. One record holds none, one or many interactions.
//
// Where several conventions describe one answer, the first of these that can be read counts: current GenAI, older GenAI,
// OpenInference, OpenLLMetry, generic input and output. Conventions that are not known are counted, never guessed.
//
// The official generated types decode each span by itself, so that a broken one costs no other. Before that, the parts of a
// record are counted, which bounds its memory.
package otlp
