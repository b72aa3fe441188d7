package jsonschema

import (
	"regexp"
	"strings"
	"unicode"

	"github.com/santhosh-tekuri/jsonschema/v6"
	"golang.org/x/net/idna"
	"golang.org/x/text/unicode/norm"
)

// internationalFormats are formats that the library does not know.
func internationalFormats() []*jsonschema.Format {
	return []*jsonschema.Format{{Name: "idn-hostname", Validate: pass}, {Name: "idn-email", Validate: pass}, {Name: "uri-template", Validate: pass}}
}

func pass(any) error { return nil }

//nolint:gochecknoglobals // read-only
var (
	// uriTemplate is RFC 6570.
	uriTemplate = regexp.MustCompile("^(?:[^\\x00- \"%<>\\\\^`{|}\\x7f]|%[[:xdigit:]]{2}|\\{[+#./;?&]?" + variable + "(?:," + variable + ")*\\})*$")
	localPart   = regexp.MustCompile(`^(?:"(?:[^"\\]|\\.)*"|` + mailAtom + `(?:\.` + mailAtom + `)*)$`)
	durationGap = regexp.MustCompile(`Y\d+D|H\d+S`)
	// refusedLabel is what RFC 5892 refuses and idna accepts: characters, and those that need others beside them.
	refusedLabel = regexp.MustCompile(`^$|[^-\p{Ll}\p{Lo}\p{Lm}\p{M}\p{Nd}\x{200c}\x{200d}·͵׳״・〇\x{6fd}\x{6fe}\x{f0b}]|[\x{640}\x{7fa}\x{302e}\x{302f}\x{3031}-\x{3035}\x{303b}]` +
		`|(?:^|[^l])·|·(?:[^l]|$)|͵(?:\P{Greek}|$)|(?:^|\P{Hebrew})[׳״]|^` + notJapanese + `*・` + notJapanese + `*$|[٠-٩].*[۰-۹]|[۰-۹].*[٠-٩]`)
	fullStops   = strings.NewReplacer("。", ".", "．", ".", "｡", ".")
	registrable = idna.New(idna.ValidateForRegistration())
)

const (
	variable    = `(?:\w|%[[:xdigit:]]{2})+(?:\.(?:\w|%[[:xdigit:]]{2})+)*(?:\*|:[1-9]\d{0,3})?`
	mailAtom    = `[^\x00- "(),.:;<>@\[\\\]\x7f]+`
	notJapanese = `[^\p{Hiragana}\p{Katakana}\p{Han}]`
	maxHost     = 4 * 253 // bytes
)

// refined reports whether a text that the library finds to be of a format also meets what the library does not ask of it.
func refined(format, text string) bool {
	switch format {
	case "uri", "uri-reference", "iri", "iri-reference":
		return isIRI(text) && (format[0] == 'i' || isASCII(text))
	case "uri-template":
		return uriTemplate.MatchString(text)
	case "duration":
		return !durationGap.MatchString(text)
	case "hostname", "idn-hostname":
		return isHost(text)
	case "email", "idn-email":
		return isMail(text, format[0] == 'i')
	case "regex":
		return isPattern(text)
	case "ipv4":
		return !strings.Contains(text, "+")
	}
	return true
}

// isIRI reports whether a reference has no characters that RFC 3987 refuses, one @ at most before the host, and brackets
// around the host only.
func isIRI(text string) bool {
	path := text
	if scheme, after, ok := strings.Cut(text, "//"); ok && !strings.ContainsAny(scheme, "/?#") {
		authority := after
		if end := strings.IndexAny(after, "/?#"); end >= 0 {
			authority = after[:end]
		}
		if strings.Count(authority, "@") > 1 {
			return false
		}
		path = after[len(authority):]
	}
	return !strings.ContainsAny(path, "[]") && !strings.ContainsAny(text, "\" <>\\^`{|}")
}

// isMail reports whether an address has a name and a host; of one that is not international the library read the name.
func isMail(text string, international bool) bool {
	at := strings.LastIndexByte(text, '@')
	local, domain := text[:max(at, 0)], text[at+1:]
	if international {
		return localPart.MatchString(local) && isHost(norm.NFC.String(domain))
	}
	return local != "" && (strings.HasPrefix(domain, "[") || isHost(domain))
}

// isHost reports whether a name is one of RFC 5890 to 5893.
func isHost(name string) bool {
	if len(name) > maxHost {
		return false
	}
	labels := strings.Split(fullStops.Replace(name), ".")
	for i, label := range labels {
		if isASCII(label) {
			label = strings.ToLower(label)
		}
		text, err := idna.Punycode.ToUnicode(label)
		if err != nil || refusedLabel.MatchString(text) {
			return false
		}
		if again, err := idna.Punycode.ToASCII(text); err != nil || label != text && label != again {
			return false
		}
		labels[i] = label
	}
	_, err := registrable.ToASCII(strings.Join(labels, "."))
	return err == nil
}

func isASCII(text string) bool {
	return !strings.ContainsFunc(text, func(r rune) bool { return r > unicode.MaxASCII })
}
