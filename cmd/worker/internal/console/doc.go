// Package console prints flags, findings and tables for people. What a producer or a model wrote reaches the terminal
// without control characters.
package console
