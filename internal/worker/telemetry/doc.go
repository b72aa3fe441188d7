// Package telemetry exports traces of Confab itself over OTLP. The standard OTEL_* variables of the environment switch it on
// and configure it; without an endpoint there is no exporter, no goroutine and no span. It never stops the worker: a wrong
// value is logged, a failed export is counted.
package telemetry
