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

// compat holds the records of version 1, the first that is published. A version that adds fields adds records with them.
const compat = "../testdata/compat/v1"

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
		name := strings.TrimSuffix(filepath.Base(file), ".json") + ".avro"
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
	s := load(t, string(kept(t, "flag.avsc", func() ([]byte, error) { return []byte(schemas.FlagAvro()), nil })))
	pairs(t, "flag", func(t *testing.T, raw []byte, name string) {
		var want, got schemas.Flag
		require.NoError(t, json.DecodeFlag(raw, &want))
		binary := kept(t, name, func() ([]byte, error) { return AppendFlag(nil, &want) })
		require.NoError(t, DecodeFlag(s, binary, &got))
		require.Empty(t, cmp.Diff(want, got, same()))
	})
}
