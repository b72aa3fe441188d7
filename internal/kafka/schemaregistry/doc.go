// Package schemaregistry is a client of a Confluent-compatible schema registry: schemas by id, which are cached, and by
// subject, with registration and compatibility checks. Responses are bounded, and errors hold no text of the server.
package schemaregistry
