// Package httpsend sends requests of the sinks over HTTP: one attempt per call, with a timeout, a rate limit per key
// (such as a channel), bounded replies, no redirects, and failures as [confab/alerting.Error]. The caller
// retries. Its errors never quote a request, a reply or a URL.
package httpsend
