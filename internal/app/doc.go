// Package app is the worker's wiring: its configuration, the roles it plays, the admin server and the order in which
// things start and stop.
//
// It refuses any Kafka, Slack or model call of its own; those live in the rooms below. The environment is handed to it:
// only cmd/worker reads it.
package app
