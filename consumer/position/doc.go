// Package position decides where a group member reads: at the start of an assignment, and when records are gone. The
// consumer loops share it.
package position
