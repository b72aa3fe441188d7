// Package slack sends alerts to Slack, with a bot token ([Bot]: post, edit, reply, find an earlier attempt) or an
// incoming webhook ([Webhook]: post only), and renders cards as Block Kit. Untrusted text stands only where
// Slack parses nothing.
package slack
