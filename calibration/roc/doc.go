// Package roc measures how well scores separate labelled rows: threshold sweeps, precision and recall with Wilson
// intervals, AUROC, and rows weighted to a base rate. Its functions are pure.
package roc
