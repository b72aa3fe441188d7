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

// withFaults returns d with faults that an answer can trigger. Tests of dead letters with the reason crash_suspect build the
// worker with it.
func withFaults(d Detector) Detector { return faultInjector{d} }

type faultInjector struct{ Detector }

// Detect loops or allocates without end when the answer asks for it: it spends no work and ignores ctx.
func (f faultInjector) Detect(ctx context.Context, doc *Document) (Finding, error) {
	for spin := 0; strings.Contains(doc.Answer(), faultLoop); {
		spin++
	}
	for blocks := [][]byte(nil); strings.Contains(doc.Answer(), faultAllocate); {
		block := make([]byte, 16<<20)
		for i := 0; i < len(block); i += 4096 {
			block[i] = 1 // otherwise the pages are never backed by memory
		}
		blocks = append(blocks, block)
	}
	return f.Detector.Detect(ctx, doc)
}
