// Package fit learns the weights of the fast detectors from labelled rows, for the model file. The same rows and seed
// give the same file.
package fit
