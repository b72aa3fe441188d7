package schemas

import "slices"

// Names of fields of an interaction's record that detectors are measured by.
const (
	FieldSources        = "sources"
	FieldMessages       = "messages"
	FieldPrompt         = "prompt"
	FieldModel          = "model"
	FieldOperation      = "operation"
	FieldTemperature    = "temperature"
	FieldFinishReason   = "finish_reason"
	FieldResponseSchema = "response_schema"
	FieldLogprobs       = "logprobs"
	FieldTokenLogprobs  = "token_logprobs" //nolint:gosec // the name of a field
	FieldTopK           = "top_k"
)

// OptionalFields returns the fields of the record that may be malformed, sorted: all but identity and answer, whose malformed
// values refuse the record.
func OptionalFields() []string {
	fields := []string{
		FieldSources, FieldMessages, FieldPrompt, FieldModel, FieldOperation, FieldTemperature, FieldFinishReason,
		FieldResponseSchema, FieldLogprobs, FieldTokenLogprobs, FieldTopK,
		"service", "provider", "occurred_at", "trace_id", "span_id", "conversation_id", "tags", "streamed", "attributes",
	}
	slices.Sort(fields)
	return fields
}

// MessagesCutOff is the name in Interaction.Malformed of messages whose text ends within them.
const MessagesCutOff = "messages.cut_off"

// MalformedNames returns the names that Interaction.Malformed may hold, sorted: a field that could not be read, or the members
// that could not be read of some sources or messages, whose others were.
func MalformedNames() []string {
	names := append(OptionalFields(),
		MessagesCutOff, "messages.content", "messages.role", "sources.id", "sources.score", "sources.text", "sources.title", "sources.uri")
	slices.Sort(names)
	return names
}
