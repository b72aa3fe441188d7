// Package golden compares the output of tests with files in the repository. Only tests import it: it declares their flag
// -update, which `make golden` sets.
package golden

import (
	"flag"
	"os"
	"path/filepath"
	"testing"

	"github.com/google/go-cmp/cmp"
)

var update = flag.Bool("update", false, "rewrite the golden files") //nolint:gochecknoglobals // flags are declared before testing parses them

// Update reports whether the flag -update is set.
func Update() bool { return *update }

// Equal fails the test unless file holds got; with -update it writes the file first. The path is relative to the
// directory of the test.
func Equal[T ~string | ~[]byte](t testing.TB, file string, got T) {
	t.Helper()
	if Update() {
		writeFile(t, file, []byte(got))
	}
	want, err := os.ReadFile(file)
	if err != nil {
		t.Fatalf("read golden file: %v; run the test with -update to write it", err)
	}
	if diff := cmp.Diff(string(want), string(got)); diff != "" {
		t.Errorf("%s differs (-golden +got); if the change is meant, run the test with -update:\n%s", file, diff)
	}
}

// Keep returns the content of file and never changes it: published formats must stay readable. With -update it first creates
// a missing file.
func Keep(t testing.TB, file string, create func() ([]byte, error)) []byte {
	t.Helper()
	raw, err := os.ReadFile(file)
	if os.IsNotExist(err) && Update() && create != nil {
		if raw, err = create(); err == nil {
			writeFile(t, file, raw)
		}
	}
	if err != nil {
		t.Fatalf("read kept file: %v; run the test with -update to create one that is missing", err)
	}
	return raw
}

func writeFile(t testing.TB, file string, data []byte) {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(file), 0o750); err != nil {
		t.Fatalf("create golden directory: %v", err)
	}
	if err := os.WriteFile(file, data, 0o600); err != nil {
		t.Fatalf("write golden file: %v", err)
	}
}
