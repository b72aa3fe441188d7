// Package tuning learns from what a worker wrote: it reads judged answers from the flags and the labels, refits the calibration
// from time to time, and keeps the versions of the calibration in a topic that every replica follows.
package tuning
