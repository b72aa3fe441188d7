// Package sinks makes the configured sink of alerts.
package sinks
