// Package llmserver starts a real language model server for tests: llama.cpp's, with OpenAI's HTTP API, as a Python
// process on 127.0.0.1, with a model of 2 MB that was trained for these tests (testdata/README.md). Everything but this
// page has the build tag integration.
//
// With 1.5 million parameters, the model tests the integration and not the quality of answers. internal/llm/llmtest is a
// server that fails on request.
package llmserver
