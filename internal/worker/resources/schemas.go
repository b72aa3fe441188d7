package resources

import (
	"confab/internal/kafka/schemaregistry"
	"confab/internal/worker/config"
	"confab/schemas"
)

// PublishedSchemas are the schemas of the configured topics: of each input that may hold Avro, and of flags.
func PublishedSchemas(c *config.Config) []schemaregistry.PublishedSchema {
	var list []schemaregistry.PublishedSchema
	for _, in := range c.Kafka.Inputs {
		if in.Format == config.FormatAuto || in.Format == config.FormatAvro {
			list = append(list, schemaregistry.PublishedSchema{
				Name: "interactions", Subject: schemaregistry.Subject(in.Topic), Text: schemas.InteractionAvro(), Compatibility: "BACKWARD",
			})
		}
	}
	return append(list, schemaregistry.PublishedSchema{
		Name: "flags", Subject: schemaregistry.Subject(c.Kafka.Topics.Incidents), Text: schemas.FlagAvro(),
		Compatibility: "FULL_TRANSITIVE", Transitive: true,
	})
}
