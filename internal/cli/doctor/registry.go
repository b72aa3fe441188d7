package doctor

import (
	"context"
	"errors"

	"confab/internal/console"
	"confab/internal/kafka/schemaregistry"
	"confab/internal/worker/config"
	"confab/schemas"
)

// Registry looks up the schemas that the worker needs in the configured schema registry. It registers nothing.
func Registry(ctx context.Context, c *config.Config) []console.Finding {
	unnamed := console.Report{Check: checkRegistry}
	r, err := c.OpenRegistry(nil)
	switch {
	case err != nil:
		unnamed.Fail(err.Error(), "correct schema_registry")
		return unnamed.Findings
	case r == nil:
		unnamed.OK("none configured: only JSON is read")
		return unnamed.Findings
	}
	defer r.Close()
	subject := schemaregistry.Subject(c.Kafka.Inputs[0].Topic)
	report := console.Report{Check: checkRegistry, Subject: subject}
	switch _, err := r.Lookup(ctx, subject, schemas.InteractionAvro()); {
	case errors.Is(err, schemaregistry.ErrUnknownSchema):
		report.OK("the registry answers; Confab's schema of interactions is not registered, which only `confab produce --format avro` needs")
	case err != nil:
		report.Fail(err.Error(), "correct schema_registry, or repair the registry: Avro records wait until it answers")
		return report.Findings
	default:
		report.OK("the registry answers; Confab's schema of interactions is registered")
	}
	if c.SchemaRegistry.Output == config.OutputAvro {
		report.Subject = schemaregistry.Subject(c.Kafka.Topics.Incidents)
		if _, err := r.Lookup(ctx, report.Subject, schemas.FlagAvro()); err != nil {
			report.Fail(err.Error(), "`confab schema --register` registers it: until then no flag can be written")
		} else {
			report.OK("the schema of flags is registered")
		}
	}
	return report.Findings
}

const checkRegistry = "schema registry"
