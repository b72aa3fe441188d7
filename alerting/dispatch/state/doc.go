// Package state holds groups, messages, channels and partitions of alerts in memory, and decides what is to be written
// about them. It makes no request and writes nothing: a change applies once the log has it. Its caller owns the lock
// and the clock.
package state
