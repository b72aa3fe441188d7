package names

import (
	"embed"
	"strings"

	"github.com/agnivade/levenshtein"
)

//go:embed lists
var lists embed.FS

// List is a small set of names in their normal spelling.
type List struct {
	ecosystem Ecosystem
	names     []string // in file order
	known     map[string]bool
}

// Popular returns the most used packages of the ecosystem.
func Popular(e Ecosystem) *List { return readList(e, string(e)+".popular") }

// Standard returns the standard library of the ecosystem's language: package paths of Go, modules of the others. RubyGems has
// none.
func Standard(e Ecosystem) *List { return readList(e, string(e)+".std") }

// Imports returns the Python modules whose distribution has another name, by module.
func Imports() map[string]string {
	table := map[string]string{}
	for line := range listLines("pypi.imports") {
		module, distribution, _ := strings.Cut(line, " ")
		table[module] = distribution
	}
	return table
}

func readList(e Ecosystem, file string) *List {
	l := &List{ecosystem: e, known: map[string]bool{}}
	for line := range listLines(file) {
		for name := range strings.FieldsSeq(line) {
			normal := string(e.AppendNormal(nil, name))
			if !l.known[normal] {
				l.known[normal] = true
				l.names = append(l.names, normal)
			}
		}
	}
	return l
}

// listLines yields the lines of an embedded list without blank lines and comments.
func listLines(file string) func(yield func(string) bool) {
	text, _ := lists.ReadFile("lists/" + file) // a missing list is empty
	return func(yield func(string) bool) {
		for line := range strings.Lines(string(text)) {
			if line = strings.TrimSpace(line); line == "" || line[0] == '#' {
				continue
			}
			if !yield(line) {
				return
			}
		}
	}
}

// Len returns the number of names.
func (l *List) Len() int { return len(l.names) }

// Contains reports whether the name, in any of its spellings, is in the list. It does not allocate.
func (l *List) Contains(name string) bool {
	if len(name) > MaxName {
		return false
	}
	var buf [MaxName]byte
	return l.known[string(l.ecosystem.AppendNormal(buf[:0], name))]
}

// minTypo is the length of the shortest name that can be a typo: shorter ones resemble each other too often.
const minTypo = 5

// Typo returns the first name of the list of which the name is a typo: one edit, or a swap of neighboring letters. It returns "" when
// there is none or when the list contains the name.
func (l *List) Typo(name string) string {
	if len(name) > MaxName {
		return ""
	}
	normal := string(l.ecosystem.AppendNormal(nil, name))
	if l.known[normal] {
		return ""
	}
	for _, other := range l.names {
		if isTypo(normal, other) {
			return other
		}
	}
	return ""
}

func isTypo(a, b string) bool {
	shorter, longer := min(len(a), len(b)), max(len(a), len(b))
	return shorter >= minTypo && longer-shorter <= 1 && EditDistance(a, b) == 1 && (isTransposition(a, b) || !differInDigits(a, b))
}

// EditDistance returns the number of insertions, deletions and substitutions between a and b, and 1 for one swap of
// neighboring letters.
func EditDistance(a, b string) int {
	if isTransposition(a, b) {
		return 1
	}
	return levenshtein.ComputeDistance(a, b)
}

// differInDigits reports whether the names differ only in digits at their ends, such as versions.
func differInDigits(a, b string) bool {
	const digits = "0123456789"
	return strings.Trim(a, digits+"-") == strings.Trim(b, digits+"-")
}

// isTransposition reports whether one swap of neighboring letters turns a into b.
func isTransposition(a, b string) bool {
	if len(a) != len(b) {
		return false
	}
	i := 0
	for i < len(a) && a[i] == b[i] {
		i++
	}
	return i+1 < len(a) && a[i] == b[i+1] && a[i+1] == b[i] && a[i+2:] == b[i+2:]
}
