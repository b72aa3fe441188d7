package config

import (
	"fmt"
	"regexp"

	"confab/internal/redact"
)

// Redaction says what else is replaced in texts.
type Redaction struct {
	// Own patterns, in addition to the built-in ones.
	Patterns []RedactionPattern `yaml:"patterns"`
}

// RedactionPattern is an own pattern.
type RedactionPattern struct {
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

func (k *checker) redaction(s *Redaction) {
	if len(s.Patterns) > maxPatterns {
		k.fail("redaction.patterns", "has %d patterns, at most %d are allowed: join some by |", len(s.Patterns), maxPatterns)
	}
	valid, names := regexp.MustCompile(`^[a-z0-9][a-z0-9-]{0,39}$`), make([]string, 0, len(s.Patterns))
	for i, p := range s.Patterns {
		names = append(names, p.Name)
		if !valid.MatchString(p.Name) {
			k.fail(fmt.Sprintf("redaction.patterns[%d].name", i), "expected up to 40 lower-case letters, digits and hyphens")
		}
	}
	for i, p := range s.Patterns {
		at := fmt.Sprintf("redaction.patterns[%d].pattern", i)
		if len(p.Pattern) > maxPatternBytes {
			k.fail(at, "has %d bytes, at most %d are allowed", len(p.Pattern), maxPatternBytes)
		} else if _, err := redact.Compile(p.Pattern, names); err != nil {
			k.fail(at, "%s", err)
		}
	}
}

// Redactor returns the redactor of valid settings.
func (s *Redaction) Redactor() *redact.Redactor {
	own := make([]redact.Pattern, 0, len(s.Patterns))
	for _, p := range s.Patterns {
		own = append(own, redact.Pattern{Name: p.Name, Match: regexp.MustCompile(p.Pattern)})
	}
	return redact.NewRedactor(own)
}
