package standard

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// TestEveryDetectorIsListed fails when a package below detectors has a type with a Detect method and standard.go does not
// list it.
func TestEveryDetectorIsListed(t *testing.T) {
	list, err := os.ReadFile("standard.go")
	require.NoError(t, err)
	detect := regexp.MustCompile(`(?m)^func \(.*\) Detect\(ctx? ?.*\) \(detectors\.Finding, error\) \{|(?m)^func \(.*\) Detect\(_ context.*\) \(detectors\.Finding, error\) \{`)
	found := 0
	files, err := filepath.Glob("../*/*.go")
	require.NoError(t, err)
	for _, file := range files {
		pkg := filepath.Base(filepath.Dir(file))
		if strings.HasSuffix(file, "_test.go") || pkg == "detectortest" {
			continue
		}
		text, err := os.ReadFile(file)
		require.NoError(t, err)
		if detect.Match(text) {
			found++
			require.Contains(t, string(list), pkg+".New", "%s is listed", file)
		}
	}
	require.Equal(t, len(Fast(Dependencies{}))+len(Deep(Dependencies{})), found)
}
