// Package integration tests on real servers: three Apache Kafka brokers in containers that can be killed, paused and
// disconnected, the built worker as a process, a fake Slack, a real language model server (llmserver), and readers that
// share no code with the worker. Everything but this page has the build tag integration, so that `go test ./...` stays
// fast; `make integration` runs it.
//
// It holds no product code and is imported by tests only. What can be tested without a real broker is tested in its own
// package.
package integration
