// Package consumer turns a Kafka consumer group into at-least-once batches of decoded values, in order per partition:
// poll, decode, hand over, wait until every effect is durable, then commit the contiguous watermark.
//
// It refuses to know what a record means. What a value is, the [Codec] says; what to do with it, the [Handler]; what to
// do with a record that can never be processed, the dead-letter topic.
package consumer
