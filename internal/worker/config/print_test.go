package config

import (
	"bytes"
	"maps"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	"github.com/stretchr/testify/require"

	"confab/internal/golden"
	"confab/internal/strictyaml"
)

// The loader accepts every default, and a printed default loads as the same value.
func TestDefaultsAreValid(t *testing.T) {
	require.NoError(t, Default().Validate())
	text, err := Default().YAML()
	require.NoError(t, err)
	cfg, err := loadText(text, LoadOptions{})
	require.NoError(t, err)
	require.Empty(t, cmp.Diff(Default(), cfg, cmpopts.EquateEmpty()))
}

func TestPrintMasksSecrets(t *testing.T) {
	cfg, err := loadText([]byte("kafka: {sasl: {mechanism: PLAIN, username: u, password: \"${PASSWORD}\"}}\nalerting: {slack: {webhook_url: \"${WEBHOOK}\"}}\nsampling: {salt: canary-salt}"),
		LoadOptions{Env: testEnv()})
	require.NoError(t, err)
	text, err := cfg.YAML()
	require.NoError(t, err)
	require.NotContains(t, string(text), "canary")
	golden.Equal(t, "testdata/print.golden", text)
}

// The limits and enumerations of all tags can be parsed.
func TestTagsAreSound(t *testing.T) {
	envs := map[string]string{}
	for _, e := range Reference(Default()) {
		r := e.Field.Rules
		for _, text := range []string{r.Min, r.Max} {
			if text != "" {
				require.Equal(t, text, strictyaml.ScalarText(strictyaml.Bound(e.Field.Value, text)), e.Path)
			}
		}
		if e.Env != "" {
			require.Empty(t, envs[e.Env], "%s and %s share a variable", e.Path, envs[e.Env])
			envs[e.Env] = e.Path
		}
	}
	require.Contains(t, slices.Collect(maps.Keys(envs)), "CONFAB_KAFKA_SEED_BROKERS")
}

// What nobody has a reason to set is no key.
func TestKeysAreFew(t *testing.T) {
	keys := 0
	for _, e := range Reference(Default()) {
		if t := e.Field.Value.Type(); strictyaml.IsScalar(t) || t.Kind() == reflect.Slice && strictyaml.IsScalar(t.Elem()) || t.Kind() == reflect.Map && strictyaml.IsScalar(t.Elem()) {
			keys++
		}
	}
	t.Log(keys, "keys")
	require.LessOrEqual(t, keys, 350)
}

func FuzzLoad(f *testing.F) {
	files, err := filepath.Glob("testdata/config/*.yaml")
	require.NoError(f, err)
	for _, file := range files {
		text, err := os.ReadFile(file)
		require.NoError(f, err)
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text []byte) {
		cfg, err := loadText(text, LoadOptions{File: "testdata/config/fuzz.yaml", Env: testEnv()})
		if err != nil {
			require.NotContains(t, err.Error(), "canary-")
			return
		}
		printed, err := cfg.YAML()
		require.NoError(t, err)
		require.NotContains(t, string(printed), "canary-password")
		if bytes.Contains(printed, []byte("[secret]")) {
			return // masks do not load as secrets
		}
		again, err := loadText(printed, LoadOptions{})
		require.NoError(t, err, "what is printed loads again:\n%s", printed)
		reprinted, err := again.YAML()
		require.NoError(t, err)
		require.Equal(t, string(printed), string(reprinted))
	})
}
