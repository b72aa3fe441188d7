// Package integration tests on real servers: three Apache Kafka brokers in containers that can be killed, paused and
// disconnected, the built worker as a process, a fake Slack, a real language model server (llmserver), and readers that
// share no code with the worker. These tests have the build tag integration, so that `go test ./...` stays fast;
// `make integration` runs them.
//
// The ledger audits runs in which workers are killed: it records what was written to the input topic, computes the
// required output, and compares it with the actual output. It uses no code of the worker: even incident ids are computed
// independently, as defined in docs/identity.md. Its tests run against an embedded broker, and with the build tag against
// three real ones; docs/testing/delivery.md describes both.
//
// The package holds no product code. What can be tested without a real broker is tested in its own package.
package integration
