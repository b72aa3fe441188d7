package config

import (
	"bytes"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
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
	// The default rate without a salt is no error; writing that rate down without one is.
	env := []string{"CONFAB_SAMPLING_SALT=s"}
	cfg, err := loadText(text, LoadOptions{Env: env})
	require.NoError(t, err)
	want := Default()
	want.Sampling.Salt = "s"
	require.Empty(t, cmp.Diff(want, cfg, cmpopts.EquateEmpty()))
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
		again, err := loadText(printed, LoadOptions{Env: []string{"CONFAB_SAMPLING_SALT=s"}})
		require.NoError(t, err, "what is printed loads again:\n%s", printed)
		reprinted, err := again.YAML()
		require.NoError(t, err)
		require.Equal(t, string(printed), strings.Replace(string(reprinted), "salt: '[secret]'", `salt: ""`, 1))
	})
}
