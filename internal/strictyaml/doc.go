// Package strictyaml decodes YAML into structs strictly. Unknown keys, wrong types, values out of range and missing
// variables are problems with file, line and column, all reported at once. Later sources (environment, flags) override
// earlier ones, and secrets may be read from files.
package strictyaml
