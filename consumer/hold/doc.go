// Package hold keeps what waits for later records of its partition: a buffer of items that wait for a key, and a memory of
// what earlier records said about a key. Both are bounded by time, number and bytes, and read no clock.
package hold
