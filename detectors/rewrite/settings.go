package rewrite

import (
	"cmp"
	"errors"
	"strings"
	"unicode"
)

// ModeNone is the setting of an application that wants no rewritten answers.
const ModeNone = "none"

// Settings are the configured defaults of requests.
type Settings struct {
	// What a request that names no mode gets in addition to its flag: remove cuts flagged sentences, hedge marks them, annotate adds footnotes with the words of the sources. none: nothing.
	Mode string `yaml:"mode" enum:"none|remove|hedge|annotate"`
	// The sentence that replaces an answer of which nothing is left.
	EmptyAnswer string `yaml:"empty_answer"`
}

// DefaultSettings rewrite nothing by default.
func DefaultSettings() Settings { return Settings{Mode: ModeNone, EmptyAnswer: EmptyAnswer} }

// Overridden returns the settings with those of a tenant; empty ones are inherited.
func (s Settings) Overridden(tenant Settings) Settings {
	return Settings{Mode: cmp.Or(tenant.Mode, s.Mode), EmptyAnswer: cmp.Or(tenant.EmptyAnswer, s.EmptyAnswer)}
}

// Default is the mode of a request that names none; ok is false if it gets no rewritten answer.
func (s Settings) Default() (m Mode, ok bool) {
	m, err := ParseMode(s.Mode)
	return m, err == nil
}

// maxEmptyAnswer is the largest sentence for an empty answer, in bytes.
const maxEmptyAnswer = 1000

// Check returns an error with its remedy for a sentence that no user should see.
func (s Settings) Check() error {
	switch {
	case len(s.EmptyAnswer) > maxEmptyAnswer:
		return errors.New("is longer than 1000 bytes: write one sentence")
	case s.EmptyAnswer != "" && strings.TrimSpace(s.EmptyAnswer) == "":
		return errors.New("is only white space: write a sentence, or remove it for the default")
	case strings.ContainsFunc(s.EmptyAnswer, func(r rune) bool { return unicode.IsControl(r) && r != '\n' }):
		return errors.New("has a control character: remove it")
	}
	return nil
}
