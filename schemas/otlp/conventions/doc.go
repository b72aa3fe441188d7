// Package conventions knows how spans and log records of language models are written: the names of GenAI in both
// generations, OpenInference, OpenLLMetry and the published design, and what an entry is for.
package conventions
