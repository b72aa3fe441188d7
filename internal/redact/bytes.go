package redact

// byteSet is a set of sets of bytes.
type byteSet uint16

const (
	letterSet    byteSet = 1 << iota // ASCII letters and the underscore
	digitSet                         // ASCII digits
	dashSet                          // the dash, which continues a setting's name
	base64Set                        // of base64url, and the full stop
	tokenSet                         // of a token after Bearer
	passwordSet                      // of a password; it excludes bytes that commonly end one
	randomSet                        // of a random string
	mailboxSet                       // of a mailbox, besides letters beyond ASCII
	groupSet                         // between groups of a phone number
	loudSet                          // after a word of letters, a byte with which it may be sensitive
	wordSet      = letterSet | digitSet
	nameSet      = letterSet | digitSet | dashSet
	wideLoudByte = 0x80 // from here on bytes are loud only where the text has a mail address
)

//nolint:gochecknoglobals // read-only table
var byteSets = func() (t [256]byteSet) {
	const all = base64Set | tokenSet | passwordSet | randomSet | mailboxSet
	for b := range t {
		switch {
		case 'a' <= b && b <= 'z', 'A' <= b && b <= 'Z', b == '_':
			t[b] = letterSet | all
		case '0' <= b && b <= '9':
			t[b] = digitSet | all
		case b > ' ' && b != 0x7f:
			t[b] = passwordSet
		}
		if b >= wideLoudByte {
			t[b] |= loudSet
		}
	}
	for set, members := range map[byteSet]string{
		dashSet: "-", base64Set: "-.", tokenSet: "-.~+/=", randomSet: "+/=-", mailboxSet: ".-+%'", groupSet: " -/.", loudSet: ` .'"\:=@-+%/`,
	} {
		for i := range len(members) {
			t[members[i]] |= set
		}
	}
	for _, b := range []byte("\"'`,;()[]{}<>") {
		t[b] &^= passwordSet
	}
	return t
}()

// byteClass says what a byte can begin.
type byteClass uint8

const (
	otherByte byteClass = iota
	wordByte
	phoneStart // of a phone number
	dashByte
	colonByte
	wideByte // the first byte of a letter beyond ASCII that a mail address may begin with
)

//nolint:gochecknoglobals // read-only table
var byteClasses = func() (t [256]byteClass) {
	for b := range t {
		switch {
		case isWordByte(byte(b)):
			t[b] = wordByte
		case 0xC3 <= b && b <= 0xE2: // U+00C0 to U+2FFF
			t[b] = wideByte
		}
	}
	t['+'], t['('], t['-'], t[':'] = phoneStart, phoneStart, dashByte, colonByte
	return t
}()

// isWordByte reports whether b is a letter, a digit or an underscore.
func isWordByte(b byte) bool { return byteSets[b]&wordSet != 0 }

func isDigit(b byte) bool { return b-'0' <= 9 }

func isHexDigit(b byte) bool { return isDigit(b) || toLower(b)-'a' <= 'f'-'a' }

func toLower(b byte) byte {
	if 'A' <= b && b <= 'Z' {
		return b | 0x20
	}
	return b
}
