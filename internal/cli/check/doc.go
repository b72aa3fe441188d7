// Package check evaluates interactions of a file, without Kafka.
package check
