//go:build !crashtest

package detectors

// withFaults returns d unchanged. Builds with the tag crashtest add faults.
func withFaults(d Detector) Detector { return d }
