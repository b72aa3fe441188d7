// Package events writes flags as OpenTelemetry data: evaluation events as OTLP logs, and spans in the trace of the evaluated
// interaction. The same flag always has the same ids and the same bytes.
package events
