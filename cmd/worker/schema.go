package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"slices"

	"github.com/spf13/cobra"

	"confab/internal/cli/topics"
	"confab/internal/kafka/schemaregistry"
	"confab/internal/worker/config"
	"confab/internal/worker/resources"
)

func newSchema(c *cli) *cobra.Command {
	cmd := commandGroup(&cobra.Command{
		Use:   "schema",
		Short: "Compares the Avro schemas with the registry, and registers them",
		Example: `  confab schema check --set schema_registry.url=http://localhost:8081
  confab schema register`,
	})
	cmd.AddCommand(
		newSchemaCommand(c, "check", "Shows which schemas are registered, compatible or incompatible; changes nothing", topics.CheckSchemas),
		newSchemaCommand(c, "register", "Registers the schemas of interactions and flags with their compatibility levels", topics.RegisterSchemas),
	)
	return cmd
}

type schemaFunc func(ctx context.Context, r *schemaregistry.Client, list []schemaregistry.PublishedSchema, w io.Writer) error

func newSchemaCommand(c *cli, name, short string, do schemaFunc) *cobra.Command {
	var subject string
	cmd := &cobra.Command{
		Use:   name,
		Short: short,
		Long: short + `.

Interactions are registered under <topic>-value of every input that may hold Avro, with level BACKWARD: upgrade workers
before producers. Flags are registered under <incidents>-value, with level FULL_TRANSITIVE: old readers read new records,
and new readers old ones.`,
		Example: "  confab schema " + name + "\n  confab schema " + name + " --subject llm.incidents-value",
		Args:    cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			cfg, err := c.loadConfig()
			if err != nil {
				return err
			}
			list := resources.PublishedSchemas(cfg)
			if subject != "" {
				all := list
				list = slices.DeleteFunc(slices.Clone(list), func(s schemaregistry.PublishedSchema) bool { return s.Subject != subject })
				if len(list) == 0 {
					return usageError{fmt.Errorf("--subject %s: expected one of %s", subject, subjectNames(all))}
				}
			}
			registry, err := openRegistry(cfg)
			if err != nil {
				return err
			}
			defer registry.Close()
			return do(cmd.Context(), registry, list, c.out)
		},
	}
	cmd.Flags().StringVar(&subject, "subject", "", "only the schema of this `subject`")
	return cmd
}

func subjectNames(list []schemaregistry.PublishedSchema) []string {
	var names []string
	for _, s := range list {
		names = append(names, s.Subject)
	}
	return names
}

var errNoRegistry = errors.New("no schema registry is configured: set schema_registry.url")

// openRegistry opens the configured registry. Having none is an error.
func openRegistry(cfg *config.Config) (*schemaregistry.Client, error) {
	registry, err := cfg.OpenRegistry(nil)
	if err == nil && registry == nil {
		return nil, usageError{errNoRegistry}
	}
	return registry, err
}
