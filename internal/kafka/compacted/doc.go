// Package compacted keeps state in compacted topics. A [Table] holds the last value per key of the partitions it has
// read; a [FencedLog] gives each partition one writer, and an earlier owner can no longer write.
package compacted
