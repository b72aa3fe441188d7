// Package facts is the detector that scores the unsupported facts which package factcheck finds.
package facts
