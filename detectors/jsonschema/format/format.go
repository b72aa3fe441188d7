package format

import (
	"errors"
	"net/netip"
	"strings"

	"github.com/santhosh-tekuri/jsonschema/v6"
)

var errFormat = errors.New("not of this format")

// RegexName is the name of the format "regex" in descriptions of violations.
const RegexName = "ECMA-262 regex"

// All returns the formats that the library accepts or rejects against the RFCs. Other formats are the library's own.
func All() []*jsonschema.Format {
	return []*jsonschema.Format{
		New("duration", isDuration),
		New("email", func(s string) bool { return isEmail(s, false) }),
		New("idn-email", func(s string) bool { return isEmail(s, true) }),
		New("hostname", isHostname),
		New("idn-hostname", isIDNHostname),
		New("ipv4", func(s string) bool { a, err := netip.ParseAddr(s); return err == nil && a.Is4() }),
		New("iri", func(s string) bool { return isURI(s, true, true) }),
		New("iri-reference", func(s string) bool { return isURI(s, true, false) }),
		New("uri", func(s string) bool { return isURI(s, false, true) }),
		New("uri-reference", func(s string) bool { return isURI(s, false, false) }),
		New("uri-template", isTemplate),
	}
}

// New returns a format of strings. It accepts values of other types.
func New(name string, valid func(string) bool) *jsonschema.Format {
	return &jsonschema.Format{Name: name, Validate: func(v any) error {
		if s, ok := v.(string); ok && !valid(s) {
			return errFormat
		}
		return nil
	}}
}

// isDuration validates a duration by RFC 3339, appendix A: units in order and without gaps, weeks alone.
func isDuration(s string) bool {
	rest, ok := strings.CutPrefix(s, "P")
	date, time, timed := strings.Cut(rest, "T")
	if week, weeks := strings.CutSuffix(date, "W"); ok && weeks {
		return !timed && isDigits(week)
	}
	return ok && rest != "" && isUnits(date, "YMD") && (!timed || time != "" && isUnits(time, "HMS"))
}

// isUnits reports whether s is a sequence of numbers with consecutive units of those given; it may be empty.
func isUnits(s, units string) bool {
	last := -1
	for s != "" {
		at := strings.IndexAny(s, units)
		if at < 1 || !isDigits(s[:at]) {
			return false
		}
		unit := strings.IndexByte(units, s[at])
		if last >= 0 && unit != last+1 {
			return false
		}
		last, s = unit, s[at+1:]
	}
	return true
}

func isDigits(s string) bool { return s != "" && strings.Trim(s, "0123456789") == "" }

// MaxHostname is the maximum length of a host name.
const MaxHostname = 253

// isHostname validates a host name by RFC 1123; punycode labels must be valid.
func isHostname(s string) bool {
	if len(s) > MaxHostname {
		return false
	}
	international := false
	for label := range strings.SplitSeq(s, ".") {
		if !isLabel(label) {
			return false
		}
		international = international || len(label) >= len(aLabel) && strings.EqualFold(label[:len(aLabel)], aLabel)
	}
	return !international || isIDNHostname(s)
}

func isLabel(s string) bool {
	if s == "" || len(s) > 63 || s[0] == '-' || s[len(s)-1] == '-' {
		return false
	}
	for i := range len(s) {
		if Class(s[i]) == 0 && s[i] != '-' {
			return false
		}
	}
	return len(s) < 4 || s[2:4] != "--" || strings.EqualFold(s[:2], "xn") // the only assigned prefix of that form
}

// isEmail validates an address by RFC 5321, or RFC 6531 if international.
func isEmail(s string, international bool) bool {
	at := strings.LastIndexByte(s, '@')
	if at < 1 || at > 64 && !international {
		return false
	}
	local, domain := s[:at], s[at+1:]
	return (isQuoted(local) || isDotAtom(local, international)) && isMailDomain(domain, international)
}

func isQuoted(s string) bool {
	if len(s) < 2 || s[0] != '"' || s[len(s)-1] != '"' {
		return false
	}
	return !strings.Contains(strings.NewReplacer(`\\`, "", `\"`, "").Replace(s[1:len(s)-1]), `"`)
}

func isMailDomain(s string, international bool) bool {
	if literal, ok := strings.CutPrefix(s, "["); ok {
		literal, closed := strings.CutSuffix(literal, "]")
		v6, is6 := strings.CutPrefix(literal, "IPv6:")
		a, err := netip.ParseAddr(v6)
		return closed && err == nil && a.Is6() == is6 && a.Zone() == ""
	}
	if international && strings.ContainsFunc(s, func(r rune) bool { return r >= 0x80 }) {
		return !strings.HasPrefix(s, ".") && !strings.HasSuffix(s, ".") && !strings.Contains(s, "..")
	}
	return isHostname(s)
}

func isDotAtom(s string, international bool) bool {
	for atom := range strings.SplitSeq(s, ".") {
		if atom == "" {
			return false
		}
		for i := range len(atom) {
			b := atom[i]
			if Class(b) == 0 && strings.IndexByte("!#$%&'*+/=?^_`{|}~-", b) < 0 && (b < 0x80 || !international) {
				return false
			}
		}
	}
	return true
}

// isTemplate validates a template by RFC 6570.
func isTemplate(s string) bool {
	for s != "" {
		open := strings.IndexByte(s, '{')
		if open < 0 {
			open = len(s)
		}
		if !uriBytes(s[:open], true) {
			return false
		}
		if s = s[open:]; s == "" {
			break
		}
		end := strings.IndexByte(s, '}')
		if end < 2 {
			return false
		}
		expression := s[1:end]
		if strings.IndexByte("+#./;?&", expression[0]) >= 0 {
			expression = expression[1:]
		}
		for variable := range strings.SplitSeq(expression, ",") {
			if !isVariable(variable) {
				return false
			}
		}
		s = s[end+1:]
	}
	return true
}

func isVariable(s string) bool {
	s, exploded := strings.CutSuffix(s, "*")
	s, length, cut := strings.Cut(s, ":")
	if cut && (exploded || len(length) > 4 || !isDigits(length) || length[0] == '0') {
		return false
	}
	for part := range strings.SplitSeq(s, ".") {
		if part == "" || strings.ContainsAny(part, "-~:/?#[]@!$&'()*+,;=") || !uriBytes(part, false) {
			return false
		}
	}
	return true
}
