// Package kafka holds what every part of Confab needs from a Kafka cluster: client options (TLS, SASL, logs, metrics),
// the [Producer] that waits for every acknowledgement, the [DeadLetter] envelope, the [Table] of a compacted topic, the
// [FencedLog] of one that has one writer a partition, the [Admin] questions and a group-less [Reader].
//
// It refuses to know what a value means, and it holds no consumer group: that loop is package consumer.
package kafka
