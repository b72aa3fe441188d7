// Package text splits a text into sentences and tokens. Package claims finds claims among them.
//
// Results are appended to slices of the caller and refer to the text by byte offsets, so that a caller who reuses its slices
// allocates nothing. Words are compared by 64-bit hashes of the case-folded word and of its stem. The functions are pure,
// safe for concurrent use, and linear in the length of any text.
//
// Stop words, stems and abbreviations are English. Other languages are split into sentences and words too, see [Script].
package text
