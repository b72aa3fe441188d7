//go:build crashtest

package detectors

import (
	"context"
	"strings"
)

// Answers that contain these texts end the process of a test build.
const (
	faultLoop     = "confab-crashtest-loop"
	faultAllocate = "confab-crashtest-allocate"
)

// withFaults makes the technical detector crash the process on request, for the tests of dead letters with the reason
// crash_suspect.
func withFaults(d Detector) Detector {
	if d.Name() == "technical" {
		return crashingDetector{d}
	}
	return d
}

type crashingDetector struct{ Detector }

// Detect loops or allocates without end. It charges no work and ignores the context.
func (f crashingDetector) Detect(ctx context.Context, doc *Document) (Finding, error) {
	for spin := 0; strings.Contains(doc.Answer(), faultLoop); {
		spin++
	}
	for hoard := [][]byte(nil); strings.Contains(doc.Answer(), faultAllocate); {
		block := make([]byte, 16<<20)
		for i := 0; i < len(block); i += 4096 {
			block[i] = 1 // makes the kernel back the page with memory
		}
		hoard = append(hoard, block)
	}
	return f.Detector.Detect(ctx, doc)
}
