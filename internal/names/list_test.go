package names

import (
	"testing"

	"github.com/stretchr/testify/require"
)

func TestListsAreSound(t *testing.T) {
	for _, e := range Ecosystems() {
		t.Run(string(e), func(t *testing.T) {
			popular := Popular(e)
			require.Greater(t, popular.Len(), 100)
			for _, name := range popular.names {
				require.True(t, e.Valid(name), name)
			}
			if e != RubyGems {
				require.Greater(t, Standard(e).Len(), 50)
			}
		})
	}
	require.Zero(t, Standard(RubyGems).Len())
	modules := Imports()
	require.Equal(t, "pyyaml", modules["yaml"])
	for module, distribution := range modules {
		require.NotEmpty(t, distribution, module)
		require.True(t, PyPI.Valid(distribution), distribution)
	}
	for e, name := range map[Ecosystem]string{PyPI: "os", NPM: "fs/promises", Go: "net/http", Crates: "collections"} {
		require.True(t, Standard(e).Contains(name), name)
	}
}

func TestTypo(t *testing.T) {
	for _, c := range []struct {
		e          Ecosystem
		name, want string
	}{
		{PyPI, "reqeusts", "requests"},
		{PyPI, "Request", "requests"},
		{PyPI, "numpyy", "numpy"},
		{PyPI, "scikitlearn", "scikit-learn"},
		{NPM, "exppress", "express"},
		{NPM, "lodahs", "lodash"},
		{NPM, "@types/recat", "@types/react"},
		{Crates, "serde_jsn", "serde-json"},
		{RubyGems, "nokogirri", "nokogiri"},
		{Go, "github.com/gin-gonic/gim", "github.com/gin-gonic/gin"},

		{PyPI, "requests", ""},
		{PyPI, "Typing_Extensions", ""},
		{PyPI, "six2", ""},
		{PyPI, "pydantic2", ""},
		{PyPI, "acme-billing", ""},
		{PyPI, "dusk", ""},
		{NPM, "preact", ""},
		{NPM, "vuex", ""},
		{NPM, "my-own-thing", ""},
		{Crates, "rand_core", ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			require.Equal(t, c.want, Popular(c.e).Typo(c.name))
		})
	}
}

func TestEditDistance(t *testing.T) {
	for _, tc := range []struct {
		a, b string
		want int
	}{
		{"", "", 0}, {"a", "", 1}, {"", "abc", 3}, {"kitten", "sitting", 3}, {"ab", "ba", 1}, {"abcd", "acbd", 1}, {"same", "same", 0},
	} {
		require.Equal(t, tc.want, EditDistance(tc.a, tc.b), "%s %s", tc.a, tc.b)
		require.Equal(t, tc.want, EditDistance(tc.b, tc.a), "%s %s", tc.b, tc.a)
	}
}

func BenchmarkTypo(b *testing.B) {
	list := Popular(PyPI)
	for b.Loop() {
		_ = list.Typo("pandsa-profiler")
	}
}
