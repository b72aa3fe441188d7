// Package strictyaml decodes YAML into structs. It reports unknown keys, wrong types, values out of range and missing
// variables with file, line and column, all at once. Later sources (environment, flags) override earlier ones, and secrets
// may be read from files.
package strictyaml
