// Package citation is the detector that checks whether the sources cited by a sentence support it.
package citation
