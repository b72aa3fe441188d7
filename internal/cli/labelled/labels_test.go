package labelled

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestFilesOfOtherShapes(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct{ text, want string }{
		"HTML": {"<html>", "rows.jsonl: this is an HTML page: "},
		"gzip": {"\x1f\x8b no gzip", "rows.jsonl: open gzip input"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			path := filepath.Join(t.TempDir(), "rows.jsonl")
			require.NoError(t, os.WriteFile(path, []byte(c.text), 0o600))
			_, err := OpenLabels(path)
			require.ErrorContains(t, err, c.want)
			file := InteractionFile{Path: path}
			_, _, err = file.EachLine(nil)
			require.ErrorContains(t, err, c.want)
		})
	}
	path := filepath.Join(t.TempDir(), "rows.jsonl")
	require.NoError(t, os.WriteFile(path, []byte(`{"interaction":{"answer":"yes"},"label":0}`), 0o600))
	labels, err := OpenLabels(path)
	require.NoError(t, err)
	labels.Close()
	_, err = OpenLabels()
	require.ErrorContains(t, err, "no file is given")
}
