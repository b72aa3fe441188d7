// Package confidence is the detector of unusual token uncertainty, compared with a baseline per model.
package confidence
