package confab_test

import (
	"fmt"
	"go/scanner"
	"go/token"
	"io/fs"
	"os"
	"path"
	"regexp"
	"slices"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/stretchr/testify/require"
)

// retiredWords are words of the first version's private language, and what to say instead (the glossary is in
// ARCHITECTURE.md). They are matched as whole words and as parts of identifiers: "untold" finds oldestUntold.
var retiredWords = map[string]string{
	"room rooms storey storeys":      "package, layer",
	"beside":                         "next to, with, in addition to; may import",
	"tell tells told telling untold": "notify, send, deliver; pending, sent",
	"nobody":                         "name the subject: no receiver, no user",
	"lest":                           "so that … does not",
	"crowd lane lanes":               "alert group, severity, limiter key",
	"notice notices":                 "message",
	"shelf shelves portion portions book books": "alert state, partition, group",
	"purse purses":                       "token bucket, budget account",
	"desk inquire inquires":              "deep evaluation",
	"witness witnesses":                  "canary statement",
	"habit habits":                       "unsupported parameter, capabilities",
	"akin cueing":                        "stem match, feature hashing",
	"veil veils":                         "redaction mask",
	"doubts troubles campaign campaigns": "staleness warnings, row errors, run",
	"twin twins harmless":                "paired example, label-preserving edit",
	"unusual unusually calm":             "anomalous firing rate",
	"vouch vouches vouched borne":        "supported",
	"whoever":                            "name the subject",
}

// retiredPhrases are matched in lower case.
var retiredPhrases = regexp.MustCompile(`deep look|fresh answers?|planted statement|telling word|\bis no (number|utf|url|json|secret)\b`)

// allowedWords are data: word lists, and texts that people and models write. By the beginning of the path.
var allowedWords = map[string]string{
	".goreleaser.yaml":                       "notice",          // the file
	"Makefile":                               "notice campaign", // make chaos-campaign
	"CHANGELOG.md":                           "campaign",
	"docs/testing/":                          "campaign",
	"docs/tuning.md":                         "campaign",
	"calibration/negatives/lexicon":          "nobody unusual calm portion inquire tell told book notice witness",
	"detectors/cellcheck/booleans.go":        "nobody",
	"detectors/synonyms/default.yaml":        "shelf shelves crowd",
	"detectors/detectortest/detectortest.go": "lane",
	"detectors/grounding/lexicon.go":         "unusual",
	"detectors/quotes/lexicon.go":            "book books told tells nobody",
	"detectors/records/concepts.go":          "book",
	"internal/promptsources/promptshapes/":   "portion",
	"internal/text/citations/nouns.go":       "tells room",
	"internal/text/claims/phrases_":          "doubts tell notice",
	"internal/text/lexicon.go":               "nobody tell told shelf shelves",
	"sampling/judge.go":                      "rooms",
}

func TestRetiredWords(t *testing.T) {
	for _, f := range findRetiredWords(t, os.DirFS(".")) {
		t.Error(f)
	}
}

// TestRetiredWordsAreFound puts one retired word at a time where it must be found, or must not.
func TestRetiredWordsAreFound(t *testing.T) {
	for name, c := range map[string]struct {
		file, text string
		want       []string
	}{
		"comment":              {"a/a.go", "// told is kept.\npackage a\n", []string{"a/a.go:1: told: say notify, send, deliver; pending, sent"}},
		"part of identifier":   {"a/a.go", "package a\nvar oldestUntold int\n", []string{"a/a.go:2: untold: say notify, send, deliver; pending, sent"}},
		"message":              {"a/a.go", "package a\nconst m = \"nobody reads\"\n", []string{"a/a.go:2: nobody: say name the subject: no receiver, no user"}},
		"text of a test":       {"a/a_test.go", "package a\nconst m = \"nobody reads\"\n", nil},
		"identifier of a test": {"a/a_test.go", "package a\nfunc desk() {}\n", []string{"a/a_test.go:2: desk: say deep evaluation"}},
		"page":                 {"pages/a.md", "A room.\n", []string{"pages/a.md:1: room: say package, layer"}},
		"phrase":               {"pages/a.md", "A deep look.\n", []string{"pages/a.md:1: deep look: see the glossary"}},
		"longer word":          {"pages/a.md", "A roommate and a bookmark.\n", nil},
	} {
		t.Run(name, func(t *testing.T) {
			require.Equal(t, c.want, findRetiredWords(t, fstest.MapFS{c.file: {Data: []byte(c.text)}}))
		})
	}
}

// findRetiredWords searches Go (identifiers, comments, and the strings of what is not a test), Markdown, YAML, templates and
// the Makefile. Test data and this file are left out.
func findRetiredWords(t *testing.T, files fs.FS) (found []string) {
	t.Helper()
	instead := map[string]string{}
	for words, say := range retiredWords {
		for w := range strings.FieldsSeq(words) {
			instead[w] = say
		}
	}
	err := fs.WalkDir(files, ".", func(file string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		base := path.Base(file)
		if d.IsDir() {
			if file != "." && (base == "testdata" || base == "bin" || strings.HasPrefix(base, ".")) {
				return fs.SkipDir
			}
			return nil
		}
		if !slices.Contains([]string{".go", ".md", ".yaml", ".yml", ".tpl", ".tmpl"}, path.Ext(file)) && base != "Makefile" || file == "words_test.go" {
			return nil
		}
		src, err := fs.ReadFile(files, file)
		if err != nil {
			return err
		}
		for _, l := range proseOf(file, src) {
			for _, w := range splitWords(l.text) {
				if say, ok := instead[w]; ok && !isAllowed(file, w) {
					found = append(found, fmt.Sprintf("%s:%d: %s: say %s", file, l.line, w, say))
				}
			}
			if p := retiredPhrases.FindString(strings.ToLower(l.text)); p != "" {
				found = append(found, fmt.Sprintf("%s:%d: %s: see the glossary", file, l.line, p))
			}
		}
		return nil
	})
	require.NoError(t, err)
	return found
}

func isAllowed(file, word string) bool {
	for prefix, words := range allowedWords {
		if strings.HasPrefix(file, prefix) && slices.Contains(strings.Fields(words), word) {
			return true
		}
	}
	return false
}

type proseLine struct {
	line int
	text string
}

// proseOf is what a person reads of a file, line by line.
func proseOf(file string, src []byte) (lines []proseLine) {
	add := func(first int, text string) {
		for i, l := range strings.Split(text, "\n") {
			lines = append(lines, proseLine{first + i, l})
		}
	}
	if path.Ext(file) != ".go" {
		add(1, string(src))
		return lines
	}
	set := token.NewFileSet()
	f := set.AddFile(file, -1, len(src))
	var s scanner.Scanner
	s.Init(f, src, nil, scanner.ScanComments)
	for {
		pos, tok, text := s.Scan()
		switch {
		case tok == token.EOF:
			return lines
		case tok == token.IDENT, tok == token.COMMENT, tok == token.STRING && !strings.HasSuffix(file, "_test.go"):
			add(f.Line(pos), text)
		}
	}
}

var wordPattern = regexp.MustCompile(`[A-Z]+(?:[a-z]+)?|[a-z]+`)

// splitWords takes a text apart into words in lower case; "oldestUntold" is two.
func splitWords(text string) []string {
	words := wordPattern.FindAllString(text, -1)
	for i, w := range words {
		words[i] = strings.ToLower(w)
	}
	return words
}
