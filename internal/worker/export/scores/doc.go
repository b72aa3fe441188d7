// Package scores writes flags as scores to the tools in which teams read their traces: span annotations of Phoenix, scores
// of Langfuse, feedback scores of Opik. Each backend says where a flag's span is and how one request looks; the rest is the
// same for all: which scores a flag has, what a reply means, how batches are split, and how long a span may be missing.
package scores
