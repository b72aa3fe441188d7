package names

import (
	"errors"
	"fmt"
	"slices"
	"strings"
)

// Ecosystem is a package registry with its own rules for names.
type Ecosystem string

// The ecosystems.
const (
	PyPI     Ecosystem = "pypi"     // Python
	NPM      Ecosystem = "npm"      // JavaScript, TypeScript
	Go       Ecosystem = "go"       // modules, by path
	Crates   Ecosystem = "crates"   // Rust
	RubyGems Ecosystem = "rubygems" // Ruby
)

// Ecosystems returns all of them.
func Ecosystems() []Ecosystem { return []Ecosystem{PyPI, NPM, Go, Crates, RubyGems} }

// ParseEcosystem returns the ecosystem of that name.
func ParseEcosystem(s string) (Ecosystem, error) {
	if e := Ecosystem(s); slices.Contains(Ecosystems(), e) {
		return e, nil
	}
	list := make([]string, len(Ecosystems()))
	for i, e := range Ecosystems() {
		list[i] = string(e)
	}
	return "", fmt.Errorf("ecosystem %q is not known: choose one of %s", s, strings.Join(list, ", "))
}

// MaxName is the maximum length of a name in bytes.
const MaxName = 214

var errName = errors.New("not a valid name in this ecosystem")

// AppendNormal appends the normal spelling of the name to dst: lower case; in PyPI each run of - _ and . becomes one hyphen
// (PEP 503), in crates an underscore becomes a hyphen.
func (e Ecosystem) AppendNormal(dst []byte, name string) []byte {
	first := len(dst)
	for i := range len(name) {
		c := name[i]
		switch {
		case 'A' <= c && c <= 'Z':
			c += 'a' - 'A'
		case e == Crates && c == '_':
			c = '-'
		case e == PyPI && (c == '-' || c == '_' || c == '.'):
			c = '-'
			if len(dst) > first && dst[len(dst)-1] == '-' {
				continue
			}
		}
		dst = append(dst, c)
	}
	return dst
}

// Valid reports whether the ecosystem permits the name.
func (e Ecosystem) Valid(name string) bool {
	if name == "" || len(name) > MaxName {
		return false
	}
	switch e {
	case NPM:
		return validNPM(name)
	case Go:
		return validModule(name)
	case Crates:
		return isLetter(name[0]) && len(name) <= 64 && hasOnly(name, "-_")
	default: // PEP 508, and similar for RubyGems
		return isAlphanumeric(name[0]) && isAlphanumeric(name[len(name)-1]) && hasOnly(name, "-_.")
	}
}

// validNPM accepts name and @scope/name. Old packages have capitals and special characters, so they are accepted.
func validNPM(name string) bool {
	if rest, scoped := strings.CutPrefix(name, "@"); scoped {
		scope, base, found := strings.Cut(rest, "/")
		return found && scope != "" && base != "" && hasOnly(scope, "-_.~") && hasOnly(base, "-_.~")
	}
	return name[0] != '.' && name[0] != '_' && hasOnly(name, "-_.~!'()*")
}

// validModule accepts paths that begin with a host.
func validModule(path string) bool {
	host, rest, _ := strings.Cut(path, "/")
	if !strings.Contains(host, ".") || !isAlphanumeric(host[0]) || !hasOnly(host, "-.") {
		return false
	}
	for rest != "" {
		var elem string
		elem, rest, _ = strings.Cut(rest, "/")
		if elem == "" || elem == "." || elem == ".." || !hasOnly(elem, "-_.~+") {
			return false
		}
	}
	return !strings.HasSuffix(path, "/")
}

func hasOnly(s, more string) bool {
	for i := range len(s) {
		if !isAlphanumeric(s[i]) && strings.IndexByte(more, s[i]) < 0 {
			return false
		}
	}
	return true
}

func isLetter(c byte) bool       { return 'a' <= c|0x20 && c|0x20 <= 'z' }
func isAlphanumeric(c byte) bool { return isLetter(c) || '0' <= c && c <= '9' }
