// Package batch decodes and handles batches of one partition's records. It holds what the consumer loops share: the
// interfaces of codecs and handlers, dead letters of records that cannot be processed, and the counts of outcomes.
package batch
