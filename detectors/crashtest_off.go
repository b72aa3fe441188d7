//go:build !crashtest

package detectors

// withFaults is the detector itself: only test builds (go build -tags crashtest) plant faults.
func withFaults(d Detector) Detector { return d }
