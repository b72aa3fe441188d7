// Package alertlog defines the records of the topic llm.alerts: the [Log] that stores them, group keys, trimmed flags and
// labels, and how a partition is read within limits of memory ([Snapshot]).
package alertlog
