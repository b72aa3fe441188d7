// Package serve checks interactions on request, over HTTP, with the evaluator of the worker.
package serve
