package names

import (
	"bytes"
	"crypto/sha256"
	"fmt"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"
)

func buildIndex(t testing.TB, e Ecosystem, list ...string) *Index {
	t.Helper()
	b := NewBuilder(e)
	for _, name := range list {
		require.NoError(t, b.Add(name), name)
	}
	x, err := b.Build()
	require.NoError(t, err)
	return x
}

func writeIndex(t testing.TB, x *Index) []byte {
	t.Helper()
	var b bytes.Buffer
	n, err := x.WriteTo(&b)
	require.NoError(t, err)
	require.Equal(t, int64(b.Len()), n)
	return b.Bytes()
}

func manyNames(n int) []string {
	list := make([]string, n)
	for i := range list {
		list[i] = fmt.Sprintf("package-%d", i)
	}
	return list
}

func TestIndexContainsEverySpelling(t *testing.T) {
	for e, spellings := range map[Ecosystem][]string{
		PyPI:     {"ruamel.yaml", "Ruamel_Yaml", "ruamel--yaml", "RUAMEL-YAML"},
		NPM:      {"@babel/core", "@Babel/Core"},
		Go:       {"github.com/BurntSushi/toml", "github.com/burntsushi/toml"},
		Crates:   {"serde_json", "serde-json"},
		RubyGems: {"RedCloth", "redcloth"},
	} {
		x := buildIndex(t, e, spellings[0])
		require.Equal(t, 1, x.Len())
		require.Equal(t, e, x.Ecosystem())
		for _, s := range spellings {
			require.True(t, x.Contains(s), "%s: %s", e, s)
		}
		require.False(t, x.Contains("no-such-name"), e)
	}
}

// TestIndexFalsePositives requires that every added name is contained, and few others.
func TestIndexFalsePositives(t *testing.T) {
	list := manyNames(50_000)
	x := buildIndex(t, PyPI, list...)
	for _, name := range list {
		require.True(t, x.Contains(name), name)
	}
	wrong := 0
	for i := range 50_000 {
		if x.Contains(fmt.Sprintf("other-%d", i)) {
			wrong++
		}
	}
	const want = 1.0 / 256
	require.InDelta(t, want, float64(wrong)/50_000, want/4)
	require.Less(t, len(writeIndex(t, x)), 50_000*10/8, "under ten bits a name")
}

func TestContainsPath(t *testing.T) {
	x := buildIndex(t, Go, "github.com/jackc/pgx/v5", "golang.org/x/net")
	for path, want := range map[string]bool{
		"golang.org/x/net": true, "golang.org/x/net/html/atom": true, "golang.org/x/network": false, "golang.org/x": false,
		"github.com/jackc/pgx/v5/pgxpool": true, "github.com/jackc": false, "": false,
	} {
		require.Equal(t, want, x.ContainsPath(path), path)
	}
}

func TestIndexFileIsDeterministic(t *testing.T) {
	list := manyNames(1000)
	want := writeIndex(t, buildIndex(t, NPM, list...))
	slices.Reverse(list)
	require.Equal(t, want, writeIndex(t, buildIndex(t, NPM, append(list, "PACKAGE-7", "package-7")...)))
	require.NotEqual(t, want, writeIndex(t, buildIndex(t, PyPI, list...)))

	x, err := ReadIndex(bytes.NewReader(want))
	require.NoError(t, err)
	require.Equal(t, 1000, x.Len())
	require.True(t, x.Contains("package-999"))
	require.Equal(t, want, writeIndex(t, x))
}

func TestReadIndexRejects(t *testing.T) {
	good := writeIndex(t, buildIndex(t, PyPI, manyNames(100)...))
	changed := func(at int) []byte {
		b := slices.Clone(good)
		b[at] ^= 1
		return b
	}
	for name, c := range map[string]struct {
		file []byte
		want error
	}{
		"empty":            {nil, ErrNoIndex},
		"a list of names":  {[]byte("requests\nnumpy\npandas\n"), ErrNoIndex},
		"another format":   {append([]byte("CFBNAMES1\n"), good[len(magic):]...), ErrNoIndex},
		"magic alone":      {good[:len(magic)], ErrDamaged},
		"checksum alone":   {good[:len(magic)+sha256.Size], ErrDamaged},
		"a byte short":     {good[:len(good)-1], ErrDamaged},
		"a byte more":      {append(slices.Clone(good), 0), ErrDamaged},
		"a bit of a name":  {changed(len(good) - 1), ErrDamaged},
		"a bit of the sum": {changed(len(magic) + 3), ErrDamaged},
	} {
		t.Run(name, func(t *testing.T) {
			_, err := ReadIndex(bytes.NewReader(c.file))
			require.ErrorIs(t, err, c.want)
			require.Regexp(t, "build|copy", err.Error(), "it names a remedy")
		})
	}
}

func TestBuilderRejects(t *testing.T) {
	_, err := NewBuilder(PyPI).Build()
	require.ErrorContains(t, err, "no names: write one per line")
	for e, list := range map[Ecosystem][]string{
		PyPI:     {"", "two words", "-requests", "requests-", "naïve", "a/b", string(bytes.Repeat([]byte("x"), MaxName+1))},
		NPM:      {"@scope", "@/x", "@a/", ".x", "_x", "a/b", "a b"},
		Go:       {"errors", "github.com/", "github.com//x", "github.com/a/../b", "git hub.com/x"},
		Crates:   {"1st", "a.b", "-x"},
		RubyGems: {"", "a b", "a@b"},
	} {
		for _, name := range list {
			require.Error(t, NewBuilder(e).Add(name), "%s: %q", e, name)
		}
	}
}

func TestParseEcosystem(t *testing.T) {
	for _, e := range Ecosystems() {
		got, err := ParseEcosystem(string(e))
		require.NoError(t, err)
		require.Equal(t, e, got)
	}
	_, err := ParseEcosystem("pip")
	require.EqualError(t, err, `ecosystem "pip" is not known: choose one of pypi, npm, go, crates, rubygems`)
}

func TestContainsAllocatesNothing(t *testing.T) {
	x := buildIndex(t, PyPI, "requests")
	list := Popular(PyPI)
	require.Zero(t, testing.AllocsPerRun(100, func() {
		if !x.Contains("Requests") || !list.Contains("Requests") || list.Contains("no-such-name") {
			t.Error("wrong")
		}
	}))
}

// FuzzReadIndex requires that an accepted file can be queried and is written back unchanged.
func FuzzReadIndex(f *testing.F) {
	good := writeIndex(f, buildIndex(f, Crates, "serde", "tokio"))
	f.Add(good, "serde")
	f.Add(good[:50], "")
	f.Fuzz(func(t *testing.T, file []byte, name string) {
		x, err := ReadIndex(bytes.NewReader(file))
		if err != nil {
			return
		}
		_ = x.Contains(name)
		_ = x.ContainsPath(name)
		require.Equal(t, file, writeIndex(t, x))
	})
}

func BenchmarkContains(b *testing.B) {
	x := buildIndex(b, PyPI, manyNames(100_000)...)
	b.ReportAllocs()
	for b.Loop() {
		_ = x.Contains("some-package")
	}
}
