// Package standard lists the detectors, binds their dependencies and loads the learned model.
package standard
