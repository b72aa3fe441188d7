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
	names     []string // in the order of the file
	known     map[string]bool
}

// Popular are the most used packages of the ecosystem.
func Popular(e Ecosystem) *List { return readList(e, string(e)+".popular") }

// Standard is what the language of the ecosystem brings along: packages of Go by their paths, modules of the others.
// Gems have none.
func Standard(e Ecosystem) *List { return readList(e, string(e)+".std") }

// Imports are the Python modules whose distribution has another name, by module.
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

// listLines are those of an embedded list that are no comments; of none there are none.
func listLines(file string) func(yield func(string) bool) {
	text, _ := lists.ReadFile("lists/" + file) // an ecosystem without the list has an empty one
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

// Len is the number of names.
func (l *List) Len() int { return len(l.names) }

// Contains reports whether the name, in any of its spellings, is in the list. It allocates nothing.
func (l *List) Contains(name string) bool {
	if len(name) > MaxName {
		return false
	}
	var buf [MaxName]byte
	return l.known[string(l.ecosystem.AppendNormal(buf[:0], name))]
}

// Nearness is how a name resembles one of a list.
type Nearness uint8

// The kinds of resemblance, from none to the most telling.
const (
	Unlike    Nearness = iota
	Conflated          // the other name with a language's affix, such as python-requests
	Close              // two edits away, both names long
	Typo               // one edit, or two neighboring letters exchanged
)

// Bounds of resemblance: short names are all alike.
const (
	minTypo  = 5  // characters of a name that may be a typo of another
	minClose = 10 // characters of a name that may be two edits away
)

// Nearest is the first name of the list that the name resembles most, "" for none. A name that is in the list resembles
// none.
func (l *List) Nearest(name string) (string, Nearness) {
	if len(name) > MaxName {
		return "", Unlike
	}
	normal := string(l.ecosystem.AppendNormal(nil, name))
	if l.known[normal] {
		return "", Unlike
	}
	best, how := "", Unlike
	for _, other := range l.names {
		if n := nearnessOf(normal, other); n > how {
			best, how = other, n
		}
	}
	if how != Unlike {
		return best, how
	}
	if other := l.conflated(normal); other != "" {
		return other, Conflated
	}
	return "", Unlike
}

func nearnessOf(a, b string) Nearness {
	shorter, longer := min(len(a), len(b)), max(len(a), len(b))
	switch {
	case shorter < minTypo || longer-shorter > 2:
		return Unlike
	case isTransposition(a, b):
		return Typo
	case longer-shorter == 2 && shorter < minClose:
		return Unlike
	}
	switch d := levenshtein.ComputeDistance(a, b); {
	case d == 1 && !differInDigits(a, b):
		return Typo
	case d == 2 && shorter >= minClose && !differInDigits(a, b):
		return Close
	default:
		return Unlike
	}
}

// EditDistance returns the number of insertions, deletions and substitutions that make a of b. One swap of neighboring
// letters alone counts as one, too.
func EditDistance(a, b string) int {
	if isTransposition(a, b) {
		return 1
	}
	return levenshtein.ComputeDistance(a, b)
}

// differInDigits says whether the names differ in digits only: versions in names are no typos.
func differInDigits(a, b string) bool {
	const digits = "0123456789"
	return strings.Trim(a, digits+"-") == strings.Trim(b, digits+"-")
}

// isTransposition says whether one exchange of neighboring letters makes a of b.
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

// affixes are what a model adds to the name of a package that it half remembers.
var affixes = map[Ecosystem][2][]string{ //nolint:gochecknoglobals // a read-only table
	PyPI:     {{"python-", "python3-", "py-", "py"}, {"-python", "-python3", "-py", "-lib"}},
	NPM:      {{"node-", "nodejs-", "js-"}, {"-js", "-node", ".js", "js", "-npm"}},
	Crates:   {{"rust-", "rs-", "lib"}, {"-rs", "-rust"}},
	RubyGems: {{"ruby-", "rb-"}, {"-ruby", "-rb", "-gem"}},
}

func (l *List) conflated(normal string) string {
	table := affixes[l.ecosystem]
	for _, a := range table[0] {
		if rest, ok := strings.CutPrefix(normal, a); ok && l.known[rest] {
			return rest
		}
	}
	for _, a := range table[1] {
		if rest, ok := strings.CutSuffix(normal, a); ok && l.known[rest] {
			return rest
		}
	}
	return ""
}
