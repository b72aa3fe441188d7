// Package sinks makes the configured alert sink.
package sinks
