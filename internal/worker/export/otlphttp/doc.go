// Package otlphttp delivers flags to an endpoint of OTLP over HTTP.
package otlphttp
