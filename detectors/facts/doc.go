// Package facts is the detector that scores the figures, dates and names of an answer that no source supports.
package facts
