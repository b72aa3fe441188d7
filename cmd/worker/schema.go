package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"slices"

	"github.com/spf13/cobra"

	"confab/cmd/worker/internal/config"
	"confab/cmd/worker/internal/resources"
	"confab/cmd/worker/internal/topics"
	"confab/internal/kafka/schemaregistry"
)

func newSchema(c *cli) *cobra.Command {
	cmd := commandGroup(&cobra.Command{
		Use:   "schema",
		Short: "Compares the Avro schemas with the registry, and registers them",
		Example: `  confab schema check --set schema_registry.url=http://localhost:8081
  confab schema register`,
	})
	cmd.AddCommand(
		newSchemaCommand(c, "check", "Says what is registered, what could be and what could not, and changes nothing", topics.CheckSchemas),
		newSchemaCommand(c, "register", "Registers the schemas of interactions and flags, and how they may evolve", topics.RegisterSchemas),
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

Interactions belong to <topic>-value of every input that may hold Avro and evolve BACKWARD: workers are upgraded before
producers. Flags belong to <incidents>-value and evolve FULL_TRANSITIVE: old readers and old records live long.`,
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

// openRegistry is the registry of a command that cannot do without.
func openRegistry(cfg *config.Config) (*schemaregistry.Client, error) {
	registry, err := cfg.OpenRegistry(nil)
	if err == nil && registry == nil {
		return nil, usageError{errNoRegistry}
	}
	return registry, err
}
