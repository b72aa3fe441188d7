package names

import (
	"bytes"
	"compress/gzip"
	"context"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestBuildIndex(t *testing.T) {
	dir := t.TempDir()
	out := filepath.Join(dir, "pypi.names")
	var errw bytes.Buffer
	seen := 0
	o := BuildOptions{Ecosystem: PyPI, Out: out, Progress: func(lines int) { seen = lines }}
	list := "# names\n\nrequests\nRuamel.Yaml\r\n  ruamel-yaml  \nnot a name\n" + strings.Repeat("x", maxNameLine+1) + "\nnumpy"
	res, err := BuildFile(t.Context(), strings.NewReader(list), &errw, o)
	require.NoError(t, err)
	require.Equal(t, BuildResult{Lines: 6, Bad: 2, Names: 3, Bytes: res.Bytes}, res)
	require.Equal(t, 6, seen)
	require.Equal(t, "line 6: no package of pypi can have this name\nline 7: no package of pypi can have this name\n", errw.String())

	first, err := os.ReadFile(out)
	require.NoError(t, err)
	require.Len(t, first, int(res.Bytes))
	x, err := ReadIndex(bytes.NewReader(first))
	require.NoError(t, err)
	for name, want := range map[string]bool{"requests": true, "RUAMEL_YAML": true, "numpy": true, "pandas": false} {
		require.Equal(t, want, x.Contains(name), name)
	}

	var packed bytes.Buffer
	w := gzip.NewWriter(&packed)
	_, err = io.WriteString(w, "numpy\nruamel_yaml\nrequests\n")
	require.NoError(t, err)
	require.NoError(t, w.Close())
	_, err = BuildFile(t.Context(), &packed, &errw, o)
	require.NoError(t, err)
	second, err := os.ReadFile(out)
	require.NoError(t, err)
	require.Equal(t, first, second, "the same names, the same file")
	entries, err := os.ReadDir(dir)
	require.NoError(t, err)
	require.Len(t, entries, 1, "no other file is left")
}

func TestBuildIndexRefuses(t *testing.T) {
	for name, c := range map[string]struct {
		list, want string
		out        string
	}{
		"nothing":         {"# none\n\n", "no names: write one per line", "x"},
		"mostly no names": {"{\"name\": \"x\"}\n{\"name\": \"y\"}\nz\n", "2 of 3 lines are not names of npm", "x"},
		"no directory":    {"react\n", "no such file or directory", "nowhere/x"},
	} {
		t.Run(name, func(t *testing.T) {
			dir := t.TempDir()
			_, err := BuildFile(t.Context(), strings.NewReader(c.list), io.Discard, BuildOptions{Ecosystem: NPM, Out: filepath.Join(dir, c.out)})
			require.ErrorContains(t, err, c.want)
			entries, err := os.ReadDir(dir)
			require.NoError(t, err)
			require.Empty(t, entries, "nothing half-written")
		})
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	_, err := BuildFile(ctx, strings.NewReader("react\n"), io.Discard, BuildOptions{Ecosystem: NPM, Out: filepath.Join(t.TempDir(), "x")})
	require.ErrorIs(t, err, context.Canceled)
}
