package redact

// byteSet is a set of sets of bytes.
type byteSet uint32

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
	numberSet                        // the same after a word of digits
	insideSet                        // inside a word: what does not end an announcement
	startSet                         // signs that begin a pattern, and letters beyond ASCII that begin a mail address
	eventSet                         // bytes at which the scan stops: digits, b, and the last two sets
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
		if t[b]&letterSet != 0 || 0x80 <= b && b < 0xE2 { // signs are above, and scripts without spaces between words
			t[b] |= insideSet
		}
		if 0xC2 <= b && b <= 0xE2 { // U+0080 to U+2FFF
			t[b] |= loudSet | numberSet
		}
		if 0xC3 <= b && b <= 0xE2 { // U+00C0 to U+2FFF
			t[b] |= startSet
		}
	}
	for set, members := range map[byteSet]string{
		dashSet: "-", base64Set: "-.", tokenSet: "-.~+/=", randomSet: "+/=-", mailboxSet: ".-+%'", groupSet: " -/.", numberSet: " -/.:@+%'=",
		startSet: "+(-:[{", eventSet: "bB_", loudSet: `.'"\:=@-+%/`,
	} {
		for i := range len(members) {
			t[members[i]] |= set
		}
	}
	for b := range t {
		if t[b]&(digitSet|loudSet|startSet) != 0 {
			t[b] |= eventSet
		}
	}
	for _, b := range []byte("\"'`,;()[]{}<>") {
		t[b] &^= passwordSet
	}
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
