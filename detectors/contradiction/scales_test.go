package contradiction

import "testing"

// TestScalesFit holds the sets of scales and classes within their bits.
func TestScalesFit(t *testing.T) {
	if knownWords.scales >= maxScales {
		t.Errorf("%d scales, want fewer than %d: raise maxScales", knownWords.scales, maxScales)
	}
	if n := len(knownWords.entries); n > 1<<tableBits/3 {
		t.Errorf("%d words in %d slots: raise tableBits", n, 1<<tableBits)
	}
}
