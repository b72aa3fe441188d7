//go:build !crashtest

package detectors

// withFaults returns d unchanged: only test builds (go build -tags crashtest) inject faults.
func withFaults(d Detector) Detector { return d }
