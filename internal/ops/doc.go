// Package ops holds what people run by hand around a worker: check a file, load and follow topics, plan the topics and
// watch the demo. It refuses anything the worker itself needs to run, and any flag parsing, which is the command
// line's.
package ops
