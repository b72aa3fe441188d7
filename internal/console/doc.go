// Package console prints flags, findings, tables and progress for people. It removes control characters from texts of
// producers and models.
package console
