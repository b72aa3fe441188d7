// Package config holds the worker's configuration: its keys, defaults and checks, and the clients that settings
// describe. Role names, input formats and mappings are values; other packages build from them.
package config
