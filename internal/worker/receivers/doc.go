// Package receivers runs a dispatcher for each receiver of alerts: own groups, messages, limits and retries, so that one that
// is down delays no other. All read the same flags, and share the partitions of llm.alerts under keys of their own.
package receivers
