package config

import (
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

// Redactor returns the redactor of valid settings.
func (s *Redaction) Redactor() *redact.Redactor {
	own := make([]redact.Pattern, 0, len(s.Patterns))
	for _, p := range s.Patterns {
		own = append(own, redact.Pattern{Name: p.Name, Match: regexp.MustCompile(p.Pattern)})
	}
	return redact.NewRedactor(own)
}
