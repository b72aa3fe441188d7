// Package httpserver serves HTTP until its context ends: the admin server with probes, metrics and the configuration,
// and what other parts of the worker listen for.
package httpserver
