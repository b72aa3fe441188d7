// Package inputs holds the settings of a topic of interactions: where its fields, tenants and sources are, and their checks.
package inputs
