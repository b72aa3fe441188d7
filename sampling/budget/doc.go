// Package budget limits the tokens that deep evaluations use, by window, tenant and partition. A [Ledger] reserves
// tokens in a compacted topic before it grants them, so that a crash cannot spend a grant twice. It calls no
// language model.
package budget
