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

func TestNearest(t *testing.T) {
	for _, c := range []struct {
		e          Ecosystem
		name, want string
		how        Nearness
	}{
		{PyPI, "reqeusts", "requests", Typo},
		{PyPI, "Request", "requests", Typo},
		{PyPI, "numpyy", "numpy", Typo},
		{PyPI, "scikitlearn", "scikit-learn", Typo},
		{PyPI, "python-requests", "requests", Conflated},
		{PyPI, "pandas-python", "pandas", Conflated},
		{PyPI, "tensorflowww", "tensorflow", Close},
		{NPM, "exppress", "express", Typo},
		{NPM, "lodahs", "lodash", Typo},
		{NPM, "node-lodash", "lodash", Conflated},
		{NPM, "axios-js", "axios", Conflated},
		{NPM, "@types/recat", "@types/react", Typo},
		{Crates, "serde_jsn", "serde-json", Typo},
		{Crates, "tokio-rs", "tokio", Conflated},
		{RubyGems, "nokogirri", "nokogiri", Typo},
		{Go, "github.com/gin-gonic/gim", "github.com/gin-gonic/gin", Typo},

		{PyPI, "requests", "", Unlike},
		{PyPI, "Typing_Extensions", "", Unlike},
		{PyPI, "six2", "", Unlike},
		{PyPI, "pydantic2", "", Unlike},
		{PyPI, "acme-billing", "", Unlike},
		{PyPI, "dusk", "", Unlike},
		{NPM, "preact", "", Unlike},
		{NPM, "vuex", "", Unlike},
		{NPM, "my-own-thing", "", Unlike},
		{Crates, "rand_core", "", Unlike},
	} {
		t.Run(c.name, func(t *testing.T) {
			got, how := Popular(c.e).Nearest(c.name)
			require.Equal(t, c.want, got)
			require.Equal(t, c.how, how)
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

func BenchmarkNearest(b *testing.B) {
	list := Popular(PyPI)
	for b.Loop() {
		_, _ = list.Nearest("pandsa-profiler")
	}
}
