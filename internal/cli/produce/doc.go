// Package produce writes interactions of a file to Kafka.
package produce
