package main

import (
	"errors"
	"fmt"
	"slices"

	"github.com/spf13/cobra"

	"confab/internal/cli/topics"
	"confab/internal/kafka/schemaregistry"
	"confab/internal/worker/config"
	"confab/internal/worker/resources"
)

func newSchema(c *cli) *cobra.Command {
	var subject string
	var register bool
	cmd := c.newConfigured("schema", cobra.NoArgs, func(cmd *cobra.Command, cfg *config.Config, _ []string) error {
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
		do := topics.CheckSchemas
		if register {
			do = topics.RegisterSchemas
		}
		return do(cmd.Context(), registry, list, c.out)
	})
	cmd.Flags().BoolVar(&register, "register", false, "register the schemas")
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
