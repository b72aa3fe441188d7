package redacting

import (
	"fmt"
	"regexp"

	"confab/internal/redact/patterns"
)

// Settings are those of redaction.
type Settings struct {
	// Own patterns, in addition to the built-in ones. `confab check` shows what they replace.
	Patterns []Pattern `yaml:"patterns"`
}

// Pattern is an own pattern.
type Pattern struct {
	// What a match is: it becomes the name in brackets, such as [customer]. Lower-case letters, digits and hyphens.
	Name string `yaml:"name"`
	// Regular expression (RE2), such as `\bKD-[0-9]{6}\b`. The whole match is replaced.
	Pattern string `yaml:"pattern"`
}

// Bounds of own patterns: each is tried on every text that a flag or a prompt quotes.
const (
	maxPatterns     = 50
	maxPatternBytes = 1000
)

// Check reports problems to fail, each at a path below the settings.
func (s *Settings) Check(fail func(at, format string, args ...any)) {
	if len(s.Patterns) > maxPatterns {
		fail(".patterns", "has %d patterns, at most %d are allowed: join some by |", len(s.Patterns), maxPatterns)
	}
	valid, names := regexp.MustCompile(`^[a-z0-9][a-z0-9-]{0,39}$`), make([]string, 0, len(s.Patterns))
	for i, p := range s.Patterns {
		names = append(names, p.Name)
		if !valid.MatchString(p.Name) {
			fail(fmt.Sprintf(".patterns[%d].name", i), "expected up to 40 lower-case letters, digits and hyphens")
		}
	}
	for i, p := range s.Patterns {
		at := fmt.Sprintf(".patterns[%d].pattern", i)
		if len(p.Pattern) > maxPatternBytes {
			fail(at, "has %d bytes, at most %d are allowed", len(p.Pattern), maxPatternBytes)
			continue
		}
		if _, err := patterns.Compile(p.Pattern, names); err != nil {
			fail(at, "%s", err)
		}
	}
}

// Redactor returns the redactor of valid settings.
func (s *Settings) Redactor() *patterns.Redactor {
	own := make([]patterns.Pattern, 0, len(s.Patterns))
	for _, p := range s.Patterns {
		own = append(own, patterns.Pattern{Name: p.Name, Match: regexp.MustCompile(p.Pattern)})
	}
	return patterns.NewRedactor(own)
}
