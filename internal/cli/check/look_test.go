package check

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"confab/internal/browsertest"
)

// TestLook writes pictures of the report named by CONFAB_REPORT to the folder of CONFAB_PICTURES, for a person to look at.
func TestLook(t *testing.T) {
	report, folder := os.Getenv("CONFAB_REPORT"), os.Getenv("CONFAB_PICTURES")
	if report == "" || folder == "" {
		t.Skip("make report-picture sets CONFAB_REPORT and CONFAB_PICTURES")
	}
	b := browsertest.StartBrowser(t)
	b.View(1100, 860, "light")
	b.Open(report, "")
	b.Fit(1100, "article", "light")
	b.Picture(filepath.Join(folder, "picture.png"))
	require.Empty(t, b.Problems())
}
