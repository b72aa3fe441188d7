package technical

import (
	"strings"

	"confab/internal/names"
)

// Placeholders are words that stand for the name of a package.
const Placeholders = " package packages package-name package_name packagename your-package your-package-name your_package my-package my_package mypackage " +
	"some-package library library-name module module-name dependency foo bar baz qux example name pkg pkg-name my-lib mylib your-lib crate-name crate_name gem-name "

// nameLength returns the number of bytes of an argument that name the package, without version and extras; 0 for paths,
// addresses, variables and placeholders.
func nameLength(e names.Ecosystem, word string) int {
	scoped := word[0] == '@' && e == names.NPM
	if !scoped && strings.IndexByte("./~@", word[0]) >= 0 || isFile(word) {
		return 0
	}
	var name string
	switch e {
	case names.PyPI:
		name = pythonTarget(word)
	case names.NPM:
		name = scriptTarget(word, scoped)
	case names.Go:
		name = goTarget(word)
	default:
		name = word[:CutAny(word, "@:")]
	}
	if strings.ContainsAny(name, "<>{}$*()|`'\"\\=,%#&?+[]") || IsForeign(name) || InList(Placeholders, strings.ToLower(name)) {
		return 0
	}
	return len(name)
}

func isFile(word string) bool {
	if strings.Contains(word, "://") {
		return true
	}
	for _, suffix := range [...]string{".whl", ".txt", ".zip", ".tgz", ".tar.gz", ".go", ".gem"} {
		if strings.HasSuffix(word, suffix) {
			return true
		}
	}
	return false
}

// pythonTarget accepts name[extra]>=1 and name@1, but not a path.
func pythonTarget(word string) string {
	if strings.ContainsAny(word, "/\\") {
		return ""
	}
	return word[:CutAny(word, "[<>=!~;@")]
}

// scriptTarget accepts name@1 and @scope/name@1, but not a path, repository or alias.
func scriptTarget(word string, scoped bool) string {
	if strings.IndexByte(word, ':') >= 0 || !scoped && strings.IndexByte(word, '/') >= 0 {
		return ""
	}
	if at := strings.LastIndexByte(word, '@'); at > 0 {
		return word[:at]
	}
	return word
}

// goTarget accepts path@v1 and path/...
func goTarget(word string) string {
	name := strings.TrimSuffix(word[:CutAny(word, "@")], "/...")
	if InList(" all tool toolchain ", name) {
		return ""
	}
	return name
}

// CutAny returns the index of the first of the characters, or len(s) without one.
func CutAny(s, chars string) int {
	if at := strings.IndexAny(s, chars); at >= 0 {
		return at
	}
	return len(s)
}

// IsForeign reports whether the host has non-ASCII letters, verbatim or as punycode.
func IsForeign(host string) bool {
	for i := range len(host) {
		if host[i] >= 0x80 {
			return true
		}
	}
	return strings.Contains(host, "xn--")
}
