// Package httpserver runs HTTP servers until their context ends. It holds the admin server with probes, metrics and the
// configuration.
package httpserver
