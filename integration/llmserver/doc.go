// Package llmserver starts a real server of language models for tests: llama.cpp's, which speaks OpenAI's HTTP dialect, as
// a Python process on 127.0.0.1, with a model of 2 MB that was trained for these tests (testdata/README.md). Everything
// but this page is behind the build tag integration.
//
// It holds no product code, and it refuses to judge what a model says: 1.5 million parameters prove plumbing, no quality.
// Servers that fail on request are in internal/llm/llmtest.
package llmserver
