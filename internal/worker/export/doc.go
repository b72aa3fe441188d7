// Package export is the handler of the role export: flags in, evaluation results to the configured destinations out. Every
// destination is a consumer group of its own, so that one which does not answer delays no other.
package export
