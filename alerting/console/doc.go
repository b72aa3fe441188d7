// Package console prints alerts on a terminal: the sink of the demo and of dry runs.
package console
