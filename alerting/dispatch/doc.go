// Package dispatch turns flags into messages: it adds incidents to groups, selects the next work of each channel, and
// delivers through a [confab/alerting.Notifier] until the sink has accepted. Add makes membership durable and returns;
// Run delivers from that state. All retries of a sink are made here; the package is independent of any sink.
package dispatch
