package confab_test

import (
	"bytes"
	"crypto/sha256"
	"flag"
	"fmt"
	"iter"
	"math/rand/v2"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"confab"
	"confab/detectors"
	"confab/internal/datatest"
	"confab/internal/golden"
	"confab/internal/hostile"
	"confab/internal/text/prepared"
	"confab/schemas"
	"confab/schemas/json"
)

var (
	flagsDir   = flag.String("flags-dir", "", "write the flags of the oracle tests to this directory, to compare two checkouts")
	fuzzedRows = flag.Int("fuzzed", 20_000, "number of changed answers that the oracle test evaluates")
)

// oracleBlock is the number of flags behind one line of an oracle file.
const oracleBlock = 500

// TestLabelledFlagsStay compares every flag of the labelled rows, evidence and scores of clear detectors included, with those
// of the implementation that wrote testdata/oracle: work on speed must not change a bit of them. A change of verdicts on
// purpose rewrites the file with -update. To find the first row that differs, run both versions with -flags-dir.
func TestLabelledFlagsStay(t *testing.T) {
	t.Parallel()
	for _, set := range datatest.Sets(t) {
		t.Run(set, func(t *testing.T) {
			t.Parallel()
			requireSameFlags(t, set, func(yield func(*schemas.Interaction) bool) {
				for _, line := range slices.Concat(datatest.Rows(t, set), datatest.MoreRows(t, set)) {
					var row schemas.Labelled
					require.NoError(t, json.DecodeLabelled(line, &row))
					if !yield(&row.Interaction) {
						return
					}
				}
			})
		})
	}
}

// TestFuzzedFlagsStay does the same for our own rows in many languages, changed at random, and for hostile records.
func TestFuzzedFlagsStay(t *testing.T) {
	t.Parallel()
	requireSameFlags(t, fmt.Sprintf("fuzzed-%d", *fuzzedRows), changedRows(ownRows(t), *fuzzedRows))
}

func TestHostileFlagsStay(t *testing.T) {
	t.Parallel()
	requireSameFlags(t, "hostile", func(yield func(*schemas.Interaction) bool) {
		for _, k := range hostile.Kinds() {
			r := k.Record(k.Full/8, 1)
			if !yield(&r.Interaction) {
				return
			}
		}
	})
}

// requireSameFlags evaluates the rows without a cache of sources, then with one.
func requireSameFlags(t *testing.T, name string, rows iter.Seq[*schemas.Interaction]) {
	t.Helper()
	requireFlags(t, name, rows, nil)
	cache := prepared.NewCache(16 << 20)
	requireFlags(t, name, rows, cache)
	t.Logf("cache of sources: %+v", cache.Stats())
}

func requireFlags(t *testing.T, name string, rows iter.Seq[*schemas.Interaction], cache *prepared.Cache) {
	t.Helper()
	if runtime.GOARCH != "amd64" {
		t.Skip("the file was written on amd64; other processors round products and sums in one step")
	}
	e, err := confab.New(confab.Options{Suite: detectors.Options{Now: func() time.Time { return time.Time{} }, Explain: true, Sources: cache}}, confab.Tuning{})
	require.NoError(t, err)
	var lines, all bytes.Buffer
	hash, n := sha256.New(), 0
	endBlock := func() {
		fmt.Fprintf(&lines, "%d %x\n", n, hash.Sum(nil)[:12])
		hash.Reset()
	}
	var line []byte
	for in := range rows {
		f := e.Evaluate(t.Context(), in, schemas.Origin{}, time.Unix(0, 0))
		f.Calibration, f.WorkerVersion = "", ""
		line, err = json.AppendFlag(line[:0], &f)
		require.NoError(t, err)
		line = append(line, '\n')
		hash.Write(line)
		if n++; n%oracleBlock == 0 {
			endBlock()
		}
		if *flagsDir != "" {
			all.Write(line)
		}
	}
	endBlock()
	if *flagsDir != "" {
		require.NoError(t, os.WriteFile(filepath.Join(*flagsDir, name+".jsonl"), all.Bytes(), 0o600))
	}
	golden.Equal(t, filepath.Join("testdata", "oracle", name+".txt"), lines.String())
}

// ownRows are the interactions that we wrote for tests.
func ownRows(t *testing.T) []schemas.Interaction {
	t.Helper()
	files, err := filepath.Glob("detectors/standard/testdata/*/*.jsonl")
	require.NoError(t, err)
	var rows []schemas.Interaction
	for _, file := range append(files, "testdata/trial.jsonl") {
		content, err := os.ReadFile(file)
		require.NoError(t, err)
		for text := range bytes.Lines(content) {
			var row schemas.Labelled
			require.NoError(t, json.DecodeLabelled(text, &row), file)
			rows = append(rows, row.Interaction)
		}
	}
	return rows
}

// changedRows are n interactions made from the rows: words and sentences of several rows mixed, with signs of all kinds.
func changedRows(rows []schemas.Interaction, n int) iter.Seq[*schemas.Interaction] {
	return func(yield func(*schemas.Interaction) bool) {
		for i := range n {
			r := rand.New(rand.NewPCG(uint64(i), 19))
			in := rows[r.IntN(len(rows))]
			other := rows[r.IntN(len(rows))]
			in.ID = fmt.Sprint("changed-", i)
			in.Sources = slices.Clone(in.Sources)
			for range 1 + r.IntN(4) {
				in.Answer = changeText(r, in.Answer, other.Answer)
			}
			if len(in.Sources) > 0 && r.IntN(2) == 0 {
				s := &in.Sources[r.IntN(len(in.Sources))]
				s.Text = changeText(r, s.Text, other.Answer)
			}
			if r.IntN(8) == 0 {
				in.Sources = append(in.Sources, other.Sources...)
			}
			if !yield(&in) {
				return
			}
		}
	}
}

// changeText changes one place of the text.
func changeText(r *rand.Rand, s, other string) string {
	signs := []string{
		"\u00a0", "\u200b", "’", "“", "—", "\r\n", "\n\n", "\n- ", "\n# ", "**", "`", "```\n", "| a | b |\n|---|---|\n| 1 | 2 |\n", "é", "ß", "ı", "\U0001f600", "不", "한", "ไทย",
		"12,5 %", "1.234.567", "$3.5 million", "3/4", "19:30", "2024-02-30", "[1]", "[2, 3]", "(Source 1)", "https://example.org/x?y=1", "user@example.org", "+44 20 7946 0958", "not ", "never ",
		"{\"a\": 1}", "<b>", "</p>", "&amp;", "e\u0301", "\xff", "\x00", ". ", "? ", "; ", "Dr. ", "No. 5 ", "twenty-one ", "March 4th, 2019",
	}
	words := strings.Fields(s)
	at := func() int { return r.IntN(len(words)) }
	if len(words) < 3 {
		return s + " " + other
	}
	switch r.IntN(8) {
	case 0:
		a, b := at(), at()
		words[a], words[b] = words[b], words[a]
		return strings.Join(words, " ")
	case 1:
		words = slices.Delete(words, at(), len(words)-r.IntN(2))
		return strings.Join(words, " ")
	case 2:
		return s[:r.IntN(len(s))] + signs[r.IntN(len(signs))] + s[r.IntN(len(s)):]
	case 3:
		return strings.Replace(s, words[at()], signs[r.IntN(len(signs))], 1+r.IntN(3))
	case 4:
		return strings.Replace(s, words[at()], strings.ToUpper(words[at()]), 1)
	case 5:
		cut := strings.Fields(other)
		return s + " " + strings.Join(cut[:r.IntN(len(cut)+1)], " ")
	case 6:
		i := r.IntN(len(s))
		return s[:i] + signs[r.IntN(len(signs))] + s[i:]
	default:
		return strings.Map(func(c rune) rune {
			if c >= '0' && c <= '9' && r.IntN(3) == 0 {
				return '0' + rune(r.IntN(10))
			}
			return c
		}, s)
	}
}
