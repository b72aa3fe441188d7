// Package deadletter writes records that cannot be processed to the dead-letter topic, with the headers of Kafka
// Connect and Confab's own. Values that are too large are replaced by a digest, and errors are redacted.
package deadletter
