package redact

import (
	"regexp"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"
)

// valueKind is what an announcement announces.
type valueKind uint8

const (
	secretValue  valueKind = iota // hidden whatever it looks like, unless it is prose
	settingValue                  // the same, but only behind a sign: other sentences have the word, too
	phraseValue                   // a secret that may be several words in quotes
	tokenValue                    // of the scheme of a header
	codeValue                     // a few digits
	numberValue                   // of an id, a passport or an account: letters and digits, in groups
	dateValue
	phoneValue
	wordsValue // of a wallet
)

// announcement is a word or words that announce a value. A space in it is any of a space, dash and underscore, or nothing.
type announcement struct {
	words string
	kind  valueKind
	whole bool // no letter or digit precedes it; others also end longer words, such as DB_PASSWORD or Datenbankpasswort
}

// announcements are in lower case. A first letter that is not ASCII is left out where capitals of it occur.
//
//nolint:gochecknoglobals // read-only table
var announcements = func() (all []announcement) {
	for _, set := range [...]struct {
		kind  valueKind
		whole bool
		words string
	}{
		{secretValue, false, "password|passwd|passwort|kennwort|mot de passe|contraseña|wachtwoord|lösenord|losenord|passord|salasana|adgangskode|" +
			"hasło|haslo|ароль|密码|密碼|パスワード|비밀번호|jelszó|ifre|parolă|secret|token|api key|access key|secret key|private key|account key|" +
			"encryption key|signing key|shared key|license key|licence key|master key|authorization|passcode|api schlüssel|clé api|clave api|chiave api"},
		{secretValue, true, "pwd|senha|heslo|passordet|lösenordet|adgangskoden"},
		{settingValue, true, "pass|sig|signature|clave|parola"},
		{phraseValue, false, "passphrase|pass phrase"},
		{tokenValue, true, "bearer"},
		{codeValue, true, "pin|pin code|pincode|pin nummer|pin number|puk|otp|cvv|cvc|code pin|tan|security code|verification code|one time code|" +
			"access code|auth code|confirmation code|login code|código de verificación|code de vérification|bestätigungscode|sicherheitscode"},
		{numberValue, true, "ssn|social security number|social security no|social security|ni number|national insurance number|national insurance|nino|itin|" +
			"sin number|social insurance number|tax id|taxpayer id|tin|steuer id|steuer idnr|steuernummer|steueridentifikationsnummer|identifikationsnummer|idnr|" +
			"sozialversicherungsnummer|codice fiscale|dni|nie|nif|cif|sécurité sociale|securite sociale|numéro fiscal|nir|insee|pesel|nip|personnummer|" +
			"fødselsnummer|henkilötunnus|hetu|cpr nummer|cpr|bsn|burgerservicenummer|rijksregisternummer|numéro national|registre national|cpf|cnpj|" +
			"aadhaar|aadhaar number|pan number|kimlik no|kimlik numarası|tc kimlik|ahv nummer|ahv|avs|curp|rfc|rodné číslo|rodne cislo|cnp|egn|amka|" +
			"jmbg|oib|pps number|ppsn|nhs number|medicare number|tfn|tax file number|national id|identity number|id number|id card number|" +
			"passport number|passport no|passport nr|passport|reisepass|reisepassnummer|reisepass nr|passnummer|passeport|pasaporte|passaporto|paspoort|" +
			"paspoortnummer|passaporte|personalausweis|personalausweisnummer|ausweisnummer|driver license|driving licence|drivers license|" +
			"license number|licence number|führerschein|führerscheinnummer|permis de conduire|account number|account no|kontonummer|sort code|routing number|" +
			"numéro de compte|número de cuenta|rekeningnummer|numero di conto|iban|card number|kartennummer|numéro de carte|número de tarjeta"},
		{numberValue, false, "身份证|身份证号|身份证号码|护照号|护照号码|パスポート番号|マイナンバー|주민등록번호|рка паспорта|аспорт|снилс|инн"},
		{dateValue, true, "date of birth|dob|birth date|birthdate|birthday|geburtsdatum|geburtstag|geb|date de naissance|fecha de nacimiento|data di nascita|" +
			"data de nascimento|geboortedatum|data urodzenia|födelsedatum|fødselsdato|syntymäaika"},
		{dateValue, false, "出生日期|生年月日|生日|ата рождения"},
		{phoneValue, true, "tel|telephone|telefon|telefono|teléfono|telefone|téléphone|telefoon|telefonnummer|phone|phone number|mobile|mobile number|cell|" +
			"cellphone|handy|handynummer|mobil|móvil|celular|portable|fax|whatsapp|hotline|call|dial|ring|text|tél|gsm|komórka|rufnummer|durchwahl"},
		{phoneValue, false, "電話|電話番号|电话|手机|手机号|елефон|тел|전화"},
		{wordsValue, true, "seed phrase|seed words|seed|recovery phrase|recovery words|backup phrase|secret phrase|mnemonic|mnemonic phrase|secret recovery phrase|" +
			"wallet words|wiederherstellungsphrase|phrase de récupération|frase semilla|frase di recupero|frase de recuperación"},
	} {
		for words := range strings.SplitSeq(set.words, "|") {
			all = append(all, announcement{words, set.kind, set.whole})
		}
	}
	slices.SortStableFunc(all, func(a, b announcement) int { return len(b.words) - len(a.words) })
	return all
}()

// announcementEnds holds announcements by the key of their end, the longest first.
//
//nolint:gochecknoglobals // read-only table
var announcementEnds = func() (t [endKeys][]announcement) {
	for _, a := range announcements {
		for _, space := range [...]string{" ", "-", "_", ""} { // of the last word; it has two letters at least
			written := a.words
			if i := strings.LastIndexByte(written, ' '); i >= 0 {
				written = written[:i] + space + written[i+1:]
			}
			if key := endKey(written, len(written)); !slices.Contains(t[key], a) {
				t[key] = append(t[key], a)
			}
		}
	}
	return t
}()

const endKeys = 1 << 15

// endKey is made of the three bytes before end, in any case.
func endKey(s string, end int) uint16 {
	return uint16(s[end-1]&31) | uint16(s[end-2]&31)<<5 | uint16(s[end-3]&31)<<10
}

// Forms of what stands between an announcement and its value: signs that may follow a word, then a sign, or a verb with further words.
//
//nolint:gochecknoglobals // read-only
var (
	afterWord  = regexp.MustCompile("^(?:[ \t\"'`*)(\\\\.#°º_]{0,4}(?:[”“»’][ ]{0,4})?)")
	signLink   = regexp.MustCompile("^(?:(?:=>|->|:=|→|是|为|は)[ \t]{0,4}|[:=][ \t*=]{0,4}|[-|–] +)")
	afterVerb  = regexp.MustCompile(`(?i)^(?:[ :*]{1,4}(?:now|currently|set|reset|changed|updated|to|been|be|still|jetzt|nun|maintenant|ahora|adesso|the|following|folgende|as))*[ :*]{0,4}`)
	verbs      = strings.Fields("is was are will be ist war lautet lauten est sera es son era è sarà é será jest är er byl je has hat wurde")
	headScheme = regexp.MustCompile(`(?i)^(?:basic|bearer|token|digest) `)
)

const (
	maxBetween = 4  // words between an announcement and its sign or verb
	maxWord    = 24 // bytes of such a word
)

// link is what joins a value to its announcement.
type link uint8

const (
	bySpace link = iota // password x
	bySign              // password: x
	byVerb              // the password is x
)

// way is how a value follows its announcement.
type way struct {
	announcement
	link    link
	between int  // words
	scheme  bool // the scheme of an Authorization header precedes it
}

// announced finds the values that words announce.
func (sc *scanner) announced() {
	s := sc.text
	sc.end = 0
	for i := 3; i <= len(s); i++ {
		for i < len(s) && byteSets[s[i]]&insideSet != 0 {
			i++
		}
		if sc.start < i && i <= sc.end { // in the last value
			i = sc.end
			continue
		}
		if byteSets[s[i-1]]&insideSet == 0 {
			continue
		}
		for _, a := range announcementEnds[endKey(s, i)] {
			if sc.isAnnouncement(a, i) {
				sc.readValue(a, i)
				break
			}
		}
	}
}

// isAnnouncement reports that the announcement ends at end.
func (sc *scanner) isAnnouncement(a announcement, end int) bool {
	i := end
	for k := len(a.words) - 1; k >= 0; k-- {
		if a.words[k] == ' ' {
			if i > 0 && (sc.text[i-1] == ' ' || sc.text[i-1] == '-' || sc.text[i-1] == '_') {
				i--
			}
			continue
		}
		if i == 0 || sc.text[i-1] != a.words[k] && (!isUpper(sc.text[i-1]) || sc.text[i-1]|0x20 != a.words[k]) {
			return false
		}
		i--
	}
	before := sc.before(i, 1)
	return !a.whole || !isLetter(before) && before < utf8.RuneSelf && !isDigit(before)
}

// readValue reads on from the end of an announcement to its value.
func (sc *scanner) readValue(a announcement, i int) {
	w := way{announcement: a}
	for word := 0; w.between <= maxBetween; w.between++ {
		rest := sc.window(i)
		closed := strings.TrimLeft(rest, "\"'`*)")
		if strings.HasPrefix(closed, ".") && (word > 3 || word > 0 && len(closed) < len(rest)) && (len(closed) < 2 || !isWordByte(closed[1])) {
			return // the sentence ends
		}
		n := len(afterWord.FindString(rest))
		if sign := signLink.FindString(rest[n:]); sign != "" && !strings.HasPrefix(rest[n:], "://") {
			w.link = bySign
			sc.read(w, i+n+len(sign))
			return
		}
		word = spokenWord(rest[n:])
		if word > 0 && slices.Contains(verbs, strings.ToLower(rest[n:n+word])) {
			w.link = byVerb
			sc.read(w, i+n+word+len(afterVerb.FindString(rest[n+word:])))
			return
		}
		if (n > 0 || a.kind == codeValue) && sc.read(w, i+n) || word == 0 {
			return
		}
		i += n + word
	}
}

// spokenWord is the length of the word of letters at the start of s, which a space or sign ends; 0 for none.
func spokenWord(s string) int {
	n := 0
	for n < len(s) && n <= maxWord && (isLetter(s[n]) || s[n] >= utf8.RuneSelf || s[n] == '-' && n > 0) {
		n++
	}
	if n > maxWord || n < len(s) && strings.IndexByte(" :=.\")'*`\t-", s[n]) < 0 {
		return 0
	}
	return n
}

// valueForms are values of which the form decides, with signs that open them in front.
//
//nolint:gochecknoglobals // read-only table
var valueForms = map[valueKind]struct {
	label string
	match *regexp.Regexp
}{
	tokenValue:  {tokenLabel, regexp.MustCompile(`^()([\w.~+/=-]{16,})`)},
	codeValue:   {secretLabel, regexp.MustCompile("^([ \"'`*(]{0,4})(\\d{3}[ -]\\d{3}|\\d{3,10})")},
	numberValue: {idLabel, regexp.MustCompile("^([ \"'`*(]{0,4})((?:[A-Z]{1,2}[ ./-]?)?(?:[A-Za-z]{0,4}\\d[A-Za-z\\d]*)(?:[ /-][A-Z]?[A-Za-z]{0,3}\\d[A-Za-z\\d]*|[.]\\d+|[ /-][A-Za-z]\\b)*)")},
	dateValue: {birthLabel, regexp.MustCompile("^([ \"'`*(]{0,4})(\\d{1,4}[ ./-]{1,2}\\d{1,2}[ ./-]{1,2}\\d{1,4}|\\d{1,2}(?:\\.|\\pL{1,2})?[ -](?:\\pL{2} )?\\pL{3,12}[., -]{1,2}(?:\\pL{2} )?\\d{2,4}|" +
		"\\pL{3,12}\\.? \\d{1,2}(?:\\pL{2})?,? \\d{2,4})")},
	phoneValue: {phoneLabel, regexp.MustCompile("^([ \"'`*]{0,4})(\\(?\\+?\\d+(?:[ ./()-]{1,3}\\d+)*)")},
	wordsValue: {secretLabel, regexp.MustCompile("^([ \"'`*(]{0,4})((?:[ ,.\\n)0-9]{0,5}\\b[a-z]{3,8}\\b){11,26})")},
}

// read reads the announced value at i, and reports whether there is one.
func (sc *scanner) read(w way, i int) bool {
	form, known := valueForms[w.kind]
	if !known {
		from, to := sc.secretAt(w, i)
		return sc.add(from, to, secretLabel)
	}
	m := form.match.FindStringSubmatch(sc.window(min(i, len(sc.text))))
	if m == nil {
		return false
	}
	i += len(m[1])
	value := m[2]
	switch w.kind {
	case tokenValue:
		if value = strings.TrimRight(value, "."); w.link != bySpace || w.between > 0 || len(value) < 16 || !strings.ContainsFunc(value, isDigitRune) {
			return false
		}
		value = strings.TrimRight(sc.text[i:sc.runEnd(i, tokenSet)], ".")
	case codeValue:
		if w.between > 0 && w.link == bySpace || !sc.endsNumber(i+len(value)) {
			return false
		}
	case numberValue:
		value = sc.trimNumber(i, value)
	case dateValue:
		named := strings.ContainsFunc(value, unicode.IsLetter) // the month
		if named && w.link != bySign || digitsOf(value) < 4 || named && digitsOf(value) < 5 {
			return false
		}
	case phoneValue:
		value = sc.dialled(w, i, value)
	default:
	}
	return sc.add(i, i+len(value), form.label)
}

// trimNumber is the value with at most 34 letters and digits, of which at least three are digits, and five in all; else "".
func (sc *scanner) trimNumber(i int, value string) string {
	for len(compact(value)) > 34 {
		value = strings.TrimRight(value[:strings.LastIndexAny(value, " ./-")+1], " ./-")
	}
	end := i + len(value)
	if len(compact(value)) < 5 || digitsOf(value) < 3 || isWordByte(sc.byteAt(end)) || sc.byteAt(end) == '%' || sc.byteAt(end) == ',' && isDigit(sc.byteAt(end+1)) {
		return ""
	}
	return value
}

// thousands is a number in groups of three digits.
var (
	thousands = regexp.MustCompile(`^\d{1,3}(?:\D\d{3})+$`)
	dateLike  = regexp.MustCompile(`^(?:\d{4}[-./]\d{1,2}[-./]\d{1,2}|\d{1,2}[-./]\d{1,2}[-./]\d{4})$`)
)

// dialled is the value if it is a phone number; else "".
func (sc *scanner) dialled(w way, i int, value string) string {
	for digitsOf(value) > maxPhoneDigits+2 {
		value = strings.TrimRight(strings.TrimRight(value, "0123456789"), " ./()-")
	}
	digits, groups := digitsOf(value), len(strings.FieldsFunc(value, func(r rune) bool { return !isDigitRune(r) }))
	sure := value != "" && strings.IndexByte("0+(", value[0]) >= 0
	switch {
	case digits < 7, !sc.endsNumber(i + len(value)), dateLike.MatchString(value):
		return ""
	case sure, w.link == bySign && w.between == 0:
		return value
	case digits >= 9 && groups <= 2 && w.link != byVerb && (w.link == bySign || groups == 1 || !thousands.MatchString(value)):
		return value
	}
	return ""
}

// Quotes that a value may be in, by what opens them.
//
//nolint:gochecknoglobals // read-only table
var valueQuotes = [...][2]string{{`\"`, `\"`}, {`"`, `"`}, {"'", "'"}, {"`", "`"}, {"“", "”"}, {"„", "“"}, {"«", "»"}, {"‘", "’"}, {"「", "」"}}

// secretAt returns the place of the secret at i; end is 0 if there is only prose.
func (sc *scanner) secretAt(w way, i int) (start, end int) {
	if w.link == bySpace && w.between > 0 || w.kind == settingValue && (w.link != bySign || w.between > 0) {
		return i, 0
	}
	for skipped := 0; skipped < 4 && (sc.byteAt(i) == ' ' || sc.byteAt(i) == '*') && i < len(sc.text); skipped++ {
		i++
	}
	rest := sc.window(i)
	for _, q := range valueQuotes {
		if !strings.HasPrefix(rest, q[0]) {
			continue
		}
		inner := rest[len(q[0]):]
		scheme := len(headScheme.FindString(inner))
		value, _, closed := strings.Cut(inner[scheme:], q[1])
		if !closed || value == "" || strings.ContainsAny(value, "\n[]") || !w.isQuotedSecret(value, scheme > 0) {
			return i, 0
		}
		start = i + len(q[0]) + scheme
		return start, start + len(value)
	}
	start = i + len(headScheme.FindString(rest))
	w.scheme = start > i
	if sc.byteAt(start) >= 0xE3 {
		return i, 0 // of a script without spaces: a sentence goes on
	}
	for end = start; end < min(len(sc.text), start+maxCandidate) && byteSets[sc.text[end]]&passwordSet != 0; {
		end++
	}
	long := end == start+maxCandidate
	if !long {
		end = start + len(strings.TrimRight(sc.text[start:end], ".:?*"))
		if next := sc.byteAt(end); (next == '(' || next == '[') && isName(sc.text[start:end]) {
			return i, 0 // a call
		}
		if end > start && sc.before(start, 1) == ' ' {
			end = sc.behindSigns(end)
		}
	}
	if end == start || !sc.isSecret(w, start, end) {
		return i, 0
	}
	if long {
		end = sc.runEnd(end, passwordSet)
	}
	return start, end
}

// behindSigns is the end of the value whose run ends at end, with what follows brackets and separators in it: a password such as
// ab(c;d. What has a sign of a further setting is not part of it.
func (sc *scanner) behindSigns(end int) int {
	rest := sc.window(end)
	if stop := strings.IndexFunc(rest, func(r rune) bool { return r <= ' ' }); stop >= 0 {
		rest = rest[:stop]
	}
	if strings.ContainsAny(rest, "[]<>=:\"") {
		return end
	}
	return end + len(strings.TrimRight(rest, ".,;:?!)}>'`*"))
}

func (w *way) isQuotedSecret(value string, scheme bool) bool {
	t := traitsOf(value)
	switch {
	case isPlaceholder(value):
		return false
	case strings.Contains(strings.TrimSpace(value), " "):
		return w.kind == phraseValue || t.digits > 0 && len(value) >= 8 || scheme
	case t.letters == len(value):
		return len(value) >= 4 && !isProseWord(value)
	}
	return len(value) >= 3 && (t.letters > 0 || t.digits >= 4) && !isIdentifier(value)
}

// isSecret reports whether the text from start to end is a value and no prose.
func (sc *scanner) isSecret(w way, start, end int) bool {
	value := sc.text[start:end]
	t := traitsOf(value)
	strong := t.letters > 0 && t.letters < len(value) && (t.digits > 0 || t.signs > 0) && len(value) >= 6 && !isIdentifier(value)
	switch {
	case isPlaceholder(value), strings.Contains(value, "://"):
		return false
	case w.scheme:
		return len(value) >= 6 && t.letters < len(value)
	case w.between > 0:
		return strong && t.letters > t.capitals
	case t.letters+t.dashes == len(value):
		return sc.isWordSecret(w, value, t, end)
	case t.letters == 0:
		return t.digits >= 4 && (w.link != bySpace || t.digits == len(value)) || len(value) >= 6 && t.signs > 2
	case isIdentifier(value):
		return w.link == bySign && len(value) >= 8 && t.digits > 0
	case w.link == bySpace:
		return t.digits > 0 && t.letters >= 2 && len(value) >= 6 || strong
	}
	return len(value) >= 4
}

// isWordSecret reports whether a value of letters alone is more than prose: it ends a line or a sentence behind a sign, or mixes
// capitals as words do not.
func (sc *scanner) isWordSecret(w way, value string, t traits, end int) bool {
	if len(value) < 4 || isProseWord(value) {
		return false
	}
	rest := strings.TrimLeft(sc.window(end), ".!?;,)*`\"'")
	last := rest == "" || rest[0] == '\n' || rest[0] == '\r' || strings.IndexByte(";,)&", sc.byteAt(end)) >= 0
	capitals := t.capitals > 1 && t.capitals < t.letters
	switch {
	case capitals && (last && w.link != bySpace || isMixed(value, 4)):
		return true
	case w.link == bySign:
		return last
	case w.link == byVerb: // German nouns have capitals
		return len(value) >= 16 && !strings.Contains(value, "-") || last && isUpper(value[0]) && !strings.HasSuffix(w.words, "wort")
	}
	return false
}

// traits count the bytes of a value by kind.
type traits struct{ letters, capitals, digits, dashes, signs int }

func traitsOf(s string) (t traits) {
	for i := range len(s) {
		switch b := s[i]; {
		case isUpper(b):
			t.capitals++
			t.letters++
		case isLetter(b), b >= utf8.RuneSelf:
			t.letters++
		case isDigit(b):
			t.digits++
		case b == '-' || b == '\'' || b == '_':
			t.dashes++
		case b != '.' && b != ':' && b != '/':
			t.signs++
		}
	}
	return t
}

// Values that stand for others: <key>, ${KEY}, {{key}}, ****, YOUR_KEY. Names of code are words joined by underscores and full stops.
// Words of prose say something about a secret instead of being one.
//
//nolint:gochecknoglobals // read-only
var (
	placeholder = regexp.MustCompile(`(?i)^[<{$&]\D*$|\.\.\.|…|^your|^%\(|^\$\{`)
	proseWord   = regexp.MustCompile(`(?i)(?:ed|ing|ion|ment|able|ible|ly|less|ful|ory|ary|ive|word|wort|token|secret|key|passwd|lich|toire|torio|toria)$`)
	proseWords  = strings.Fields("none null true false string text bytes number bool boolean hidden invalid valid incorrect correct wrong unknown optional " +
		"empty forgotten please must should can will when where which what with from that this than then they your here there only also each same both either " +
		"case-sensitive falsch richtig unbekannt ungültig vergessen pflicht abgelaufen nicht wird kann soll muss eine einer obligatoire incorrecte " +
		"requerida requerido incorrecta oubli doit dans pour olvidada debe vereist verlopen wymagane basic bearer digest undefined")
)

func isPlaceholder(s string) bool {
	first, _ := utf8.DecodeRuneInString(s)
	return placeholder.MatchString(s) || strings.Trim(s, string(first)) == "" && !unicode.IsDigit(first)
}

func isIdentifier(s string) bool { return strings.ContainsAny(s, "_.") && isName(s) }

// isName reports a text of letters, underscores and full stops.
func isName(s string) bool {
	return !strings.ContainsFunc(s, func(r rune) bool { return r >= utf8.RuneSelf || r != '.' && (!isWordByte(byte(r)) || isDigitRune(r)) })
}

func isProseWord(s string) bool {
	return proseWord.MatchString(s) || slices.Contains(proseWords, strings.ToLower(s))
}
