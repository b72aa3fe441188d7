// Package store is the bounded database file of the page: flags as they are in llm.incidents, labels, the alert state of
// incidents, and hourly counts. Offsets of the topics are written in the transaction of their records, so every record
// counts once. A lost or damaged file is rebuilt from the topics.
package store
