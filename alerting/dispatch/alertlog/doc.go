// Package alertlog defines the records of the topic llm.alerts: the [Log] that stores them, group keys, what is kept of
// flags and feedback, and reading a partition within limits of memory ([Snapshot]).
package alertlog
