// Package dispatch turns flags into messages: it adds incidents to groups, plans what each channel does next, and
// delivers through a [confab/alerting.Notifier] until the sink has accepted. Join makes membership durable and returns;
// Run delivers from that state. It owns every retry of a sink and knows no sink.
package dispatch
