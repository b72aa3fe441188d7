package schemas

import _ "embed" // for the published schemas

var (
	//go:embed interaction.avsc
	interactionAvro string
	//go:embed flag.avsc
	flagAvro string
	//go:embed interaction.schema.json
	interactionJSONSchema string
	//go:embed flag.schema.json
	flagJSONSchema string
	//go:embed alert_state.schema.json
	alertStateJSONSchema string
	//go:embed feedback.schema.json
	feedbackJSONSchema string
	//go:embed observation.schema.json
	observationJSONSchema string
)

// InteractionAvro is the published Avro schema of Interaction.
func InteractionAvro() string { return interactionAvro }

// FlagAvro is the published Avro schema of Flag.
func FlagAvro() string { return flagAvro }

// InteractionJSONSchema is the published JSON Schema (draft 2020-12) of Interaction: the shapes that producers may write.
func InteractionJSONSchema() string { return interactionJSONSchema }

// FlagJSONSchema is the published JSON Schema (draft 2020-12) of Flag.
func FlagJSONSchema() string { return flagJSONSchema }

// AlertStateJSONSchema is the published JSON Schema (draft 2020-12) of AlertState.
func AlertStateJSONSchema() string { return alertStateJSONSchema }

// FeedbackJSONSchema is the published JSON Schema (draft 2020-12) of Feedback.
func FeedbackJSONSchema() string { return feedbackJSONSchema }

// ObservationJSONSchema is the published JSON Schema (draft 2020-12) of Observation.
func ObservationJSONSchema() string { return observationJSONSchema }
