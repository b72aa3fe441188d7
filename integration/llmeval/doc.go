// Package llmeval asks a model factual questions with known answers, runs the deep evaluation on its answers, and reports
// how well divergence and entropy rank wrong answers, how often its replies as a judge are valid, and what an evaluation
// costs. `make llm-eval` writes the report to docs/llm-eval.md.
//
// Its figures decide nothing: those that do come from labelled rows (calibration).
package llmeval
