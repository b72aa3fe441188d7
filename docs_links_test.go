package confab_test

import (
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"unicode"

	"github.com/stretchr/testify/require"
)

// markdown returns the text of every Markdown file by its path.
func markdown(t *testing.T) map[string]string {
	t.Helper()
	pages := map[string]string{}
	eachFile(t, func(name string, raw []byte) {
		if path.Ext(name) == ".md" {
			pages[name] = string(raw)
		}
	})
	require.Contains(t, pages, "README.md")
	return pages
}

// eachFile calls visit for every file of the repository that is neither hidden nor built.
func eachFile(t *testing.T, visit func(name string, raw []byte)) {
	t.Helper()
	require.NoError(t, fs.WalkDir(os.DirFS("."), ".", func(name string, d fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case name != "." && strings.HasPrefix(d.Name(), ".") && name != ".golangci.yml", name == "bin", name == "shared":
			if d.IsDir() {
				return fs.SkipDir
			}
			return nil
		case !d.Type().IsRegular():
			return nil
		}
		raw, err := os.ReadFile(filepath.FromSlash(name))
		if err == nil {
			visit(name, raw)
		}
		return err
	}))
}

var fencedCode = regexp.MustCompile("(?ms)^ *```.*?^ *```$")

func withoutCode(page string) string { return fencedCode.ReplaceAllString(page, "") }

// TestDocsIndex requires a link from docs/README.md to every page of docs, and from docs/adr/README.md to every decision.
func TestDocsIndex(t *testing.T) {
	t.Parallel()
	pages := markdown(t)
	for name := range pages {
		index := "docs/README.md"
		if ok, _ := path.Match("docs/adr/[0-9]*.md", name); ok {
			index = "docs/adr/README.md"
		}
		if strings.HasPrefix(name, "docs/") && name != index {
			rel, err := filepath.Rel(path.Dir(index), name)
			require.NoError(t, err)
			require.Regexp(t, regexp.QuoteMeta("]("+rel)+`[)#]`, pages[index], "%s does not link %s", index, name)
		}
	}
}

func TestDocTitles(t *testing.T) {
	t.Parallel()
	for name, page := range markdown(t) {
		for _, title := range titles(page) {
			require.False(t, strings.HasSuffix(title, "?"), "%s: the title %q is a question, use a noun phrase", name, title)
		}
	}
}

// TestDocLinks resolves every relative link, with its anchor.
func TestDocLinks(t *testing.T) {
	t.Parallel()
	pages := markdown(t)
	link := regexp.MustCompile(`\]\(([^)\s]+)\)`)
	code := regexp.MustCompile("`[^`\n]*`")
	for name, page := range pages {
		for _, m := range link.FindAllStringSubmatch(code.ReplaceAllString(withoutCode(page), "code"), -1) {
			if strings.Contains(m[1], "://") {
				continue
			}
			file, anchor, _ := strings.Cut(m[1], "#")
			target := name
			if file != "" {
				target = path.Join(path.Dir(name), file)
			}
			_, err := os.Stat(filepath.FromSlash(target))
			require.NoError(t, err, "%s links %s", name, m[1])
			if anchor != "" {
				require.Contains(t, anchors(pages[target]), anchor, "%s links %s", name, m[1])
			}
		}
	}
}

// TestNamedPagesExist requires every page that code, scripts and the changelog name to exist.
func TestNamedPagesExist(t *testing.T) {
	t.Parallel()
	named := regexp.MustCompile(`\bdocs/[a-z0-9/-]+\.md\b`)
	eachFile(t, func(name string, raw []byte) {
		if strings.ContainsRune(string(raw[:min(len(raw), 512)]), 0) {
			return // binary
		}
		for _, page := range named.FindAllString(string(raw), -1) {
			_, err := os.Stat(filepath.FromSlash(page))
			require.NoError(t, err, "%s names %s", name, page)
		}
	})
}

// TestDocumentedTestsExist holds every `go test … -run X ./package` of the documentation against the sources: a pattern that
// matches nothing would pass silently. Each alternative of a pattern must match a test or benchmark of that package.
func TestDocumentedTestsExist(t *testing.T) {
	t.Parallel()
	code := regexp.MustCompile("`(go test [^`]+)`")
	option := regexp.MustCompile(`-(?:run|bench) '?([\w|^$]+)'?`)
	declared := regexp.MustCompile(`(?m)^func ((?:Test|Benchmark|Fuzz)\w+)\(`)
	seen := 0
	for name, page := range markdown(t) {
		for _, m := range code.FindAllStringSubmatch(strings.ReplaceAll(page, `\|`, "|"), -1) {
			pattern, dir := option.FindStringSubmatch(m[1]), regexp.MustCompile(`\./[\w/]+`).FindString(m[1])
			if pattern == nil || dir == "" {
				continue
			}
			files, err := filepath.Glob(filepath.Join(filepath.FromSlash(dir), "*_test.go"))
			require.NoError(t, err)
			var tests []string
			for _, file := range files {
				src, err := os.ReadFile(file)
				require.NoError(t, err)
				for _, d := range declared.FindAllStringSubmatch(string(src), -1) {
					tests = append(tests, d[1])
				}
			}
			for part := range strings.SplitSeq(pattern[1], "|") {
				require.True(t, slices.ContainsFunc(tests, regexp.MustCompile(part).MatchString), "%s: %s: no test of %s matches %s", name, m[1], dir, part)
				seen++
			}
		}
	}
	require.Greater(t, seen, 8, "commands found")
}

// TestOneVocabulary: in all that a user reads, an answer is wrong or fine, flagged or not, an alert or none.
func TestOneVocabulary(t *testing.T) {
	t.Parallel()
	shown := regexp.MustCompile(`^(README|docs/[^/]+)\.md$|^cmd/worker/help\.txt$|\.tmpl$|^helm/confab/.*\.(yaml|json|md)$|^(alerting|calibration|cmd|detectors|internal/(cli|console|worker))/.*\.go$`)
	others := regexp.MustCompile(`(?i)\b(good|bad|faulty|right|correct|incorrect|hallucinated|suspicious|unfaithful) answers?\b|` +
		`\banswers? (is|are) (good|bad|faulty|right|correct|incorrect|hallucinated|suspicious)\b|\bfalse (alarm|positive|negative)s?\b|\b(good|right) ones\b`)
	eachFile(t, func(name string, raw []byte) {
		if shown.MatchString(name) && !strings.HasSuffix(name, "_test.go") {
			require.Empty(t, others.FindAllString(string(raw), -1), "%s: an answer is wrong or fine", name)
		}
	})
}

func titles(page string) (all []string) {
	for _, m := range regexp.MustCompile(`(?m)^#{1,6} +(.+?) *$`).FindAllStringSubmatch(withoutCode(page), -1) {
		all = append(all, m[1])
	}
	return all
}

// anchors returns the anchors of the titles as GitHub makes them.
func anchors(page string) (all []string) {
	for _, title := range titles(page) {
		all = append(all, strings.Map(func(r rune) rune {
			switch {
			case r == ' ':
				return '-'
			case r == '-' || r == '_' || unicode.IsLetter(r) || unicode.IsDigit(r):
				return unicode.ToLower(r)
			}
			return -1
		}, title))
	}
	return all
}
