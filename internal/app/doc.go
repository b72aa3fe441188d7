// Package app is the worker's wiring: its configuration, the roles it plays, the admin server and the order in which
// things start and stop.
//
// It refuses any Kafka, Slack or model call of its own; those live in the rooms below. It is the one place that reads the
// environment.
package app
