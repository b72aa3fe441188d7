// Package redaction measures the recall and the false redactions of the configured patterns on labelled texts.
package redaction
