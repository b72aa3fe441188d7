package technical

import (
	"strings"

	"confab/internal/names"
)

// goLine reads `import "a"` and the lines of `import (…)`, and reports whether such a group is open.
func (s *Scanner) goLine(from, to int, group bool) bool {
	line := s.answer[from:to]
	rest, begins := strings.CutPrefix(line, "import")
	if begins && strings.HasPrefix(strings.TrimSpace(rest), "(") {
		return !strings.Contains(rest, ")")
	}
	if group && strings.HasPrefix(line, ")") {
		return false
	}
	at := strings.IndexByte(line, '"')
	if at < 0 || begins == group || strings.HasPrefix(line, "//") || begins && rest[0] != ' ' {
		return group
	}
	if start, end, ok := quotedAt(line, at); ok && strings.Trim(line[start:start+1], "./\"") != "" {
		s.addMention(Go, from+start, from+end, names.Go)
		s.goImport(line[:start-1], [2]int{from + start, from + end})
	}
	return group
}

// rustLine reads `use a::b` and `extern crate a`.
func (s *Scanner) rustLine(from, to int) {
	line := s.answer[from:to]
	rest := strings.TrimPrefix(line, "pub ")
	for _, key := range [...]string{"use ::", "use ", "extern crate "} {
		path, ok := strings.CutPrefix(rest, key)
		if !ok {
			continue
		}
		root, below, found := strings.Cut(path, "::")
		if key != "extern crate " && !found && !strings.HasSuffix(path, ";") {
			return
		}
		if found && (root == "std" || root == "core" || root == "alloc") {
			s.identifier(RustStd, names.Crates, to-len(below), to)
		} else {
			s.identifier(Rust, names.Crates, to-len(path), to)
		}
		return
	}
}
