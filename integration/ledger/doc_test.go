// Package ledger audits runs in which workers are killed: it records what was written to the input topic, computes the
// required output, and compares it with the actual output. It uses no code of the worker: even incident ids are computed
// independently, as defined in docs/identity.md.
//
// Its tests run the built worker as child processes against an embedded broker, and with the build tag integration
// against three real ones. docs/testing/delivery.md describes both.
package ledger
