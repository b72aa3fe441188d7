// Package citation is the detector that asks whether the sources which a sentence cites support it.
package citation
