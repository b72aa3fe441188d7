package config

import (
	_ "embed"
	"slices"
)

//go:embed confab.schema.json
var jsonSchema []byte

//go:embed example.yaml
var example []byte

//go:embed minimal.yaml
var minimal []byte

// JSONSchema is the JSON Schema (draft 2020-12) of the configuration file. A test generates it from [Config].
func JSONSchema() []byte { return slices.Clone(jsonSchema) }

// Example is a commented configuration file to start from. It loads without any environment.
func Example() []byte { return slices.Clone(example) }

// MinimalExample is the smallest useful configuration file: one broker, alerts on standard output.
func MinimalExample() []byte { return slices.Clone(minimal) }
