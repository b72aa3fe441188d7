// Package tracing starts the spans of Confab's own work, and has histograms with their ids as exemplars. It needs no tracer: a
// span is a child of the context's span, and without a sampled one there it costs nothing. No span holds a text of an
// interaction, a URL or a secret.
package tracing
