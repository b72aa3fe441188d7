package format

import (
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"golang.org/x/net/idna"
)

// aLabel is the prefix of the ASCII form of an internationalized label.
const aLabel = "xn--"

// registrable validates names for registration (RFC 5891 to 5893). isULabel rejects what UTS 46 accepts beyond RFC 5892.
//
//nolint:gochecknoglobals // a read-only profile
var registrable = idna.New(idna.ValidateForRegistration())

// isIDNHostname validates a name by RFC 5890 and 5892. East Asian full stops separate labels as well.
func isIDNHostname(s string) bool {
	if len(s) > utf8.UTFMax*MaxHostname {
		return false
	}
	labels := strings.Split(strings.NewReplacer("。", ".", "．", ".", "｡", ".").Replace(s), ".")
	for i, label := range labels {
		if isASCII(label) {
			label = strings.ToLower(label)
			if !isLabel(label) {
				return false
			}
			if strings.HasPrefix(label, aLabel) {
				var ok bool
				if label, ok = decodeALabel(label); !ok {
					return false
				}
			}
		}
		if !isULabel(label) {
			return false
		}
		labels[i] = label
	}
	ascii, err := registrable.ToASCII(strings.Join(labels, "."))
	return err == nil && len(ascii) <= MaxHostname
}

// decodeALabel returns the text of an ASCII form; false unless the form is the canonical one of that text.
func decodeALabel(label string) (string, bool) {
	text, err := idna.Punycode.ToUnicode(label)
	if err != nil || isASCII(text) {
		return "", false
	}
	again, err := idna.Punycode.ToASCII(text)
	return text, err == nil && again == label
}

func isASCII(s string) bool {
	for i := range len(s) {
		if s[i] >= 0x80 {
			return false
		}
	}
	return true
}

// isULabel reports whether every character is permitted: letters, digits and marks, the exceptions of RFC 5892, section 2.6,
// and the characters that appendix A allows in some context.
func isULabel(label string) bool {
	text := []rune(label)
	for i, r := range text {
		if rule := contextRule(r); rule != nil {
			if !rule(text, i) {
				return false
			}
			continue
		}
		if !isPermitted(r) {
			return false
		}
	}
	return len(text) > 0
}

func isPermitted(r rune) bool {
	switch r {
	case '-', '\u200c', '\u200d', 'ß', 'ς', '\u06fd', '\u06fe', '\u0f0b', '〇': // idna checks the context of joiners
		return true
	case '\u0640', '\u07fa', '\u302e', '\u302f', '\u3031', '\u3032', '\u3033', '\u3034', '\u3035', '\u303b':
		return false
	default:
		return unicode.In(r, unicode.Ll, unicode.Lo, unicode.Lm, unicode.Mn, unicode.Mc, unicode.Nd)
	}
}

// contextRule returns the rule of RFC 5892, appendix A, for a character; nil without one.
func contextRule(r rune) func(text []rune, i int) bool {
	switch {
	case r == '·':
		return betweenLs
	case r == '\u0375': // Greek keraia
		return beforeGreek
	case r == '\u05f3', r == '\u05f4': // Hebrew geresh, gershayim
		return afterHebrew
	case r == '・':
		return amongKana
	case isArabicDigit(r), isExtendedDigit(r):
		return oneKindOfDigits
	default:
		return nil
	}
}

func betweenLs(text []rune, i int) bool {
	return i > 0 && i+1 < len(text) && text[i-1] == 'l' && text[i+1] == 'l'
}

func beforeGreek(text []rune, i int) bool {
	return i+1 < len(text) && unicode.Is(unicode.Greek, text[i+1])
}

func afterHebrew(text []rune, i int) bool { return i > 0 && unicode.Is(unicode.Hebrew, text[i-1]) }

func amongKana(text []rune, _ int) bool {
	return slices.ContainsFunc(text, func(r rune) bool { return unicode.In(r, unicode.Hiragana, unicode.Katakana, unicode.Han) })
}

func oneKindOfDigits(text []rune, _ int) bool {
	return !slices.ContainsFunc(text, isArabicDigit) || !slices.ContainsFunc(text, isExtendedDigit)
}

func isArabicDigit(r rune) bool   { return r >= '\u0660' && r <= '\u0669' }
func isExtendedDigit(r rune) bool { return r >= '\u06f0' && r <= '\u06f9' }
