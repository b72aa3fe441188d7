package schemas

import _ "embed" // for the published schemas

var (
	//go:embed interaction.avsc
	interactionAvro string
	//go:embed flag.avsc
	flagAvro string
)

// InteractionAvro is the published Avro schema of Interaction.
func InteractionAvro() string { return interactionAvro }

// FlagAvro is the published Avro schema of Flag.
func FlagAvro() string { return flagAvro }
