// Package chunkjoin assembles streamed answers whose chunks come in several records of a partition.
package chunkjoin
