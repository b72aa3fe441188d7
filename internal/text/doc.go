// Package text turns an answer or a source into sentences and tokens, once, for all detectors. Claims are made of them in
// package claims.
//
// Everything is appended to slices of the caller and addressed by byte offsets of the text that was given, so a caller
// who keeps its slices allocates nothing. Words are compared by 64-bit hashes: of the case-folded word, and of its stem.
// The functions are pure and safe for concurrent use, and their work grows linearly with the text, whatever it holds.
//
// It knows no scores, thresholds or interactions: what agreement means is up to the detectors. Stop words, stems and
// abbreviations are English; other languages are split into sentences and words all the same, see [Script].
package text
