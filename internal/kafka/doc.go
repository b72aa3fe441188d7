// Package kafka holds what every part of Confab needs from a Kafka cluster: client options (TLS, SASL, logs, metrics),
// the [Producer] that waits for every acknowledgement, the [Admin] queries and a [Reader] without a consumer group. Dead
// letters, compacted topics and the schema registry are packages below it.
//
// It does not know what a value means. Consumer groups are in package consumer.
package kafka
