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

// OptionalFields returns the names that Interaction.Malformed may hold, sorted: every field of the record but identity and
// answer, whose malformed values refuse the record.
func OptionalFields() []string {
	fields := []string{
		FieldSources, FieldMessages, FieldPrompt, FieldModel, FieldOperation, FieldTemperature, FieldFinishReason,
		FieldResponseSchema, FieldLogprobs, FieldTokenLogprobs, FieldTopK,
		"service", "provider", "occurred_at", "trace_id", "span_id", "conversation_id", "tags", "streamed", "attributes",
	}
	slices.Sort(fields)
	return fields
}
