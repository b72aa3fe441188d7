// Package llmtest is an in-process server with OpenAI's HTTP API. It answers chat, embeddings and text classification
// with fixed rules, and fails on request. It uses sockets or memory; in-memory tests may run in a synctest bubble. It
// never sleeps: a delayed reply waits for a channel.
package llmtest
