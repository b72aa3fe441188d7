package avro

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/stretchr/testify/require"

	"confab/internal/golden"
	"confab/schemas"
	"confab/schemas/json"
)

const (
	compat = "../testdata/compat/v1"
	added  = "../v2/" // beside compat: what has fields that came later
)

// kept is the file's content; one that is missing is made first, when asked for.
func kept(t *testing.T, name string, today func() ([]byte, error)) []byte {
	t.Helper()
	return golden.Keep(t, filepath.Join(compat, name), today)
}

// pairs calls each for every record that is kept as JSON, with the name of its Avro form.
func pairs(t *testing.T, prefix string, each func(t *testing.T, raw []byte, avro string)) {
	t.Helper()
	files, err := filepath.Glob(filepath.Join(compat, prefix+"_*.json"))
	require.NoError(t, err)
	require.NotEmpty(t, files)
	binaries, err := filepath.Glob(filepath.Join(compat, prefix+"_*.avro"))
	require.NoError(t, err)
	if !golden.Update() {
		require.Len(t, binaries, len(files), "every kept record has both forms")
	}
	for _, file := range files {
		name := filepath.Join(filepath.Dir(prefix), strings.TrimSuffix(filepath.Base(file), ".json")+".avro")
		t.Run(name, func(t *testing.T) {
			raw, err := os.ReadFile(file)
			require.NoError(t, err)
			each(t, raw, name)
		})
	}
}

// Records that were published in Avro decode to what their JSON says, with the schema they were written with.
func TestCompatInteractions(t *testing.T) {
	s := load(t, string(kept(t, "interaction.avsc", func() ([]byte, error) { return []byte(schemas.InteractionAvro()), nil })))
	decoder := json.NewDecoder(json.Options{})
	pairs(t, "interaction", func(t *testing.T, raw []byte, name string) {
		var want, got schemas.Interaction
		require.NoError(t, decoder.Decode(raw, &want))
		want.UnknownFields = 0
		binary := kept(t, name, func() ([]byte, error) { return AppendInteraction(nil, &want) })
		require.NoError(t, s.DecodeInteraction(binary, &got))
		require.Empty(t, cmp.Diff(want, got, same()))
	})
}

func TestCompatFlags(t *testing.T) {
	for _, version := range []string{"", added} {
		s := load(t, string(kept(t, version+"flag.avsc", func() ([]byte, error) { return []byte(schemas.FlagAvro()), nil })))
		pairs(t, version+"flag", func(t *testing.T, raw []byte, name string) {
			var want, got schemas.Flag
			require.NoError(t, json.DecodeFlag(raw, &want))
			binary := kept(t, name, func() ([]byte, error) { return AppendFlag(nil, &want) })
			require.NoError(t, DecodeFlag(s, binary, &got))
			require.Empty(t, cmp.Diff(want, got, same()))
		})
	}
}

// A reader of yesterday reads the flags of today, and one of today those of yesterday, by an independent codec as well.
func TestFlagsAreReadBothWays(t *testing.T) {
	old := string(kept(t, "flag.avsc", nil))
	newer := string(kept(t, added+"flag.avsc", nil))
	require.NotEqual(t, old, newer)
	back, err := resolved(t, newer, old, kept(t, added+"flag_unusual.avro", nil))
	require.NoError(t, err)
	fields, ok := back.(map[string]any)
	require.True(t, ok)
	require.NotContains(t, fields, "unusual")
	require.Equal(t, "v0.1.0", fields["worker_version"])

	ahead, err := resolved(t, old, newer, kept(t, "flag_fast.avro", nil))
	require.NoError(t, err)
	fields, ok = ahead.(map[string]any)
	require.True(t, ok)
	require.Empty(t, fields["unusual"])
	require.Equal(t, "v0.1.0", fields["worker_version"])
}
