// Package datatest gives tests the labelled rows behind the project's quality figures. The rows are not part of the
// repository: they are in $CONFAB_DATA, by default ../shared/data next to the checkout, one folder per set. Without them
// tests are skipped; REQUIRE_DATA=1 turns the skip into a failure.
package datatest

import (
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"confab/internal/files"
)

const (
	trainFile = "train.jsonl.gz" // of each set
	moreFile  = "more.jsonl.gz"  // of some sets
	maxLine   = 16 << 20

	variableDir     = "CONFAB_DATA"
	variableRequire = "REQUIRE_DATA"
)

// Rows returns the lines of a set's training rows, in the order of the file. The caller owns them.
func Rows(t testing.TB, set string) [][]byte {
	t.Helper()
	rows := readRows(t, set, trainFile)
	if len(rows) == 0 {
		skipMissing(t, set)
	}
	return rows
}

// MoreRows returns the lines of a set's further rows, none if it has no such file.
func MoreRows(t testing.TB, set string) [][]byte {
	t.Helper()
	return readRows(t, set, moreFile)
}

// Sets returns the names of the sets, sorted, at least one.
func Sets(t testing.TB) []string {
	t.Helper()
	sets := SetsIfAny(t)
	if len(sets) == 0 {
		skipMissing(t, "any set")
	}
	return sets
}

// SetsIfAny returns the names of the sets, sorted; none is not an error unless REQUIRE_DATA=1.
func SetsIfAny(t testing.TB) []string {
	t.Helper()
	files, err := filepath.Glob(filepath.Join(dataDir(t), "*", trainFile))
	if err != nil {
		t.Fatal(err)
	}
	if len(files) == 0 && os.Getenv(variableRequire) == "1" {
		skipMissing(t, "any set")
	}
	for i, f := range files {
		files[i] = filepath.Base(filepath.Dir(f))
	}
	return files
}

// Files returns the paths that match a pattern of the folder, such as public/dev/*.jsonl.gz, sorted, at least one.
func Files(t testing.TB, pattern string) []string {
	t.Helper()
	found, err := filepath.Glob(filepath.Join(dataDir(t), filepath.FromSlash(pattern)))
	if err != nil {
		t.Fatal(err)
	}
	if len(found) == 0 {
		skipMissing(t, pattern)
	}
	return found
}

// skipMissing skips the test, or fails it if data is required.
func skipMissing(t testing.TB, set string) {
	t.Helper()
	message := fmt.Sprintf("no labelled rows of %s under %s: set %s to the folder that holds <set>/%s", set, dataDir(t), variableDir, trainFile)
	if os.Getenv(variableRequire) == "1" {
		t.Fatalf("%s (%s=1 forbids the skip)", message, variableRequire)
	}
	t.Skip(message)
}

// dataDir returns the directory of the sets. Tests run in a directory of the repository.
func dataDir(t testing.TB) string {
	t.Helper()
	if dir := os.Getenv(variableDir); dir != "" {
		return dir
	}
	dir, err := os.Getwd()
	if err != nil {
		t.Fatal(err)
	}
	for {
		if _, err := os.Stat(filepath.Join(dir, "go.mod")); err == nil {
			return filepath.Join(filepath.Dir(dir), "shared", "data")
		}
		if dir == filepath.Dir(dir) {
			t.Fatal("no go.mod in this directory or above it")
		}
		dir = filepath.Dir(dir)
	}
}

// readRows returns the lines of a file of the set, none if it does not exist.
func readRows(t testing.TB, set, name string) (rows [][]byte) {
	t.Helper()
	f, err := os.Open(filepath.Join(dataDir(t), set, name))
	if errors.Is(err, os.ErrNotExist) {
		return nil
	}
	var lines *files.Lines
	if err == nil {
		defer f.Close()
		lines, err = files.NewLines(f, maxLine)
	}
	for err == nil {
		var line []byte
		if line, err = lines.Next(); err == nil {
			rows = append(rows, slices.Clone(line))
		}
	}
	if !errors.Is(err, io.EOF) {
		t.Fatalf("read %s of %s: %v", name, set, err)
	}
	return rows
}
