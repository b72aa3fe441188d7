// Package evidence reads an answer and its sources into terms that can be compared, and indexes the sources by the terms of
// the answer. A term is a word, by its stem, or a figure, by its value: "30 June" and "2026-06-30" are one term. The turns of
// the user are evidence of their own kind. An index is linear in the length of the texts, reuses its storage, and is not
// safe for concurrent use.
package evidence
