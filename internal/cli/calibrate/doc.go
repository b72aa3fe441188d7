// Package calibrate fits models and thresholds on labelled rows and on feedback, and prints what they change.
package calibrate
