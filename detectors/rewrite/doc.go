// Package rewrite removes, hedges or annotates the flagged places of an answer, in whole sentences, list items and table rows,
// and measures the rest with the evaluator that flagged it. An answer that still fires is never returned as rewritten.
package rewrite
