// Package review draws answers for people to label: some at random, some for which the detectors are undecided.
package review
