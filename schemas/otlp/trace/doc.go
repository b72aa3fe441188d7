// Package trace relates the spans of one record: answers that wrap other answers, and the retrievers and tools that an answer
// follows.
package trace
