// Package llmtest is a server of OpenAI's HTTP dialect in the process: it answers chat, embeddings and text
// classification by rote, and fails on request in all the ways that servers fail. Tests of whatever uses internal/llm
// run on it, with sockets or in memory; a test in memory may run in a synctest bubble, where hours cost nothing.
//
// It refuses language models, production, and sleeping: a reply that is to be late waits for a channel.
package llmtest
