package htmlreport

import (
	"fmt"
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
	b.Picture(filepath.Join(folder, "picture.png"))
	for _, scheme := range []string{"light", "dark"} {
		for name, size := range map[string][2]int{"wide": {1280, 1000}, "phone": {390, 844}} {
			b.View(size[0], size[1], scheme)
			b.Open(report, "")
			b.Picture(filepath.Join(folder, fmt.Sprintf("%s-%s.png", name, scheme)))
			b.Eval("scrollTo(0, document.querySelector('article').offsetTop - 90)", nil)
			b.Picture(filepath.Join(folder, fmt.Sprintf("%s-%s-answers.png", name, scheme)))
		}
	}
	require.Empty(t, b.Problems())
}
