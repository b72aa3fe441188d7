// Package integration is the real tier: three Apache Kafka brokers in containers that can be killed, paused and cut off,
// the built worker as a process beside them, a fake Slack, a real server of language models (llmserver), and readers that
// share no code with the worker. Everything but this page is behind the build tag integration, so `go test ./...` stays
// the fast tier; `make integration` runs it.
//
// It holds no product code and nothing imports it. It refuses mocks: what can be proven without a real broker is a test
// of the room that owns it.
package integration
