// Package serving has the settings of checks on request over HTTP.
package serving
