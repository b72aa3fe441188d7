package redact

import (
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
	codeValue                     // a few digits
	numberValue                   // of an id, a passport or an account: letters and digits, in groups
	dateValue
	phoneValue
	wordsValue // of a wallet
)

const (
	idLabel    = "[id]"
	dateLabel  = "[birth-date]"
	phoneLabel = "[phone]"
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

// endIndex holds announcements by the key of their end, the longest first.
type endIndex struct {
	known [endKeys / 64]uint64 // a bit for each key that has some
	place [endKeys]uint8       // of those of a key in all
	all   [][]announcement
}

//nolint:gochecknoglobals // read-only table
var announcementEnds = func() (t endIndex) {
	for _, a := range announcements {
		for _, space := range [...]string{" ", "-", "_", ""} { // of the last word; it has two letters at least
			written := a.words
			if i := strings.LastIndexByte(written, ' '); i >= 0 {
				written = written[:i] + space + written[i+1:]
			}
			key := endKey(written, len(written))
			if t.known[key/64]>>(key%64)&1 == 0 {
				t.known[key/64] |= 1 << (key % 64)
				t.place[key] = uint8(len(t.all))
				t.all = append(t.all, nil)
			}
			if ends := &t.all[t.place[key]]; !slices.Contains(*ends, a) {
				*ends = append(*ends, a)
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

// The verbs that may stand between an announcement and its value, and words that may follow them.
//
//nolint:gochecknoglobals // read-only table
var (
	announcingVerbs = wordSetOf("is was are will be ist war lautet lauten est sera es son era è sarà é será jest är er byl je has hat wurde")
	afterVerbs      = wordSetOf("now currently set reset changed updated to been be still jetzt nun maintenant ahora adesso the following folgende as")
)

func wordSetOf(words string) map[string]bool {
	set := map[string]bool{}
	for w := range strings.FieldsSeq(words) {
		set[w] = true
	}
	return set
}

// link is what joins a value to its announcement.
type link uint8

const (
	bySpace link = iota // password x
	bySign              // password: x
	byVerb              // the password is x
)

// way is how a value follows its announcement.
type way struct {
	link    link
	between int  // words
	scheme  bool // the scheme of an Authorization header precedes it
}

const (
	maxBetween = 4  // words between an announcement and its sign or verb
	maxWord    = 24 // bytes of such a word
)

// announced finds the first announced value that starts at or after from. It keeps what it found until that was passed.
func (sc *scanner) announced(from int) (match, bool) {
	if known := sc.ahead.announced; known.end > 0 && known.start >= from {
		return known, true
	}
	sc.ahead.announced = match{}
	for end := max(sc.ahead.searched, from); ; {
		end = sc.nextAnnouncementEnd(end)
		if end < 0 {
			sc.ahead.searched = len(sc.text) + 1
			return match{}, false
		}
		if m, ok := sc.announcedAt(end); ok && m.start >= from {
			sc.ahead.announced, sc.ahead.searched = m, end+1
			return m, true
		}
		end++
	}
}

// nextAnnouncementEnd is the next end of a word at or after i that may be an announcement; -1 if there is none.
func (sc *scanner) nextAnnouncementEnd(i int) int {
	s := sc.text
	for i = max(i, 3); i <= len(s); i++ {
		for i < len(s) && byteSets[s[i]]&insideSet != 0 {
			i++
		}
		if byteSets[s[i-1]]&insideSet == 0 {
			continue
		}
		if key := endKey(s, i); announcementEnds.known[key/64]>>(key%64)&1 != 0 {
			return i
		}
	}
	return -1
}

// announcedAt returns the value that the words which end at end announce.
func (sc *scanner) announcedAt(end int) (match, bool) {
	for _, a := range announcementEnds.all[announcementEnds.place[endKey(sc.text, end)]] {
		if start := sc.announcementStart(a, end); start >= 0 {
			return sc.valueOf(a, end)
		}
	}
	return match{}, false
}

// announcementStart is where the announcement that ends at end begins; negative if it is another word.
func (sc *scanner) announcementStart(a announcement, end int) int {
	i := end
	for k := len(a.words) - 1; k >= 0; k-- {
		want := a.words[k]
		if want == ' ' {
			if i > 0 && (sc.text[i-1] == ' ' || sc.text[i-1] == '-' || sc.text[i-1] == '_') {
				i--
			}
			continue
		}
		if i == 0 || toLower(sc.text[i-1]) != want {
			return -1
		}
		i--
	}
	if a.whole && i > 0 && (isLetterByte(sc.text[i-1]) || isDigit(sc.text[i-1])) {
		return -1
	}
	return i
}

func isLetterByte(b byte) bool { return toLower(b)-'a' <= 'z'-'a' || b >= utf8.RuneSelf }

// valueOf reads on from the end of an announcement to its value.
func (sc *scanner) valueOf(a announcement, end int) (match, bool) {
	i, w := end, 0
	for between := 0; between <= maxBetween; between++ {
		if sc.endsSentence(i, w) {
			break
		}
		next, l := sc.linkAt(i)
		if l != bySpace {
			return sc.read(a, next, way{link: l, between: between})
		}
		if next > i || a.kind == codeValue {
			if m, ok := sc.read(a, next, way{link: bySpace, between: between}); ok {
				return m, true
			}
		}
		if w = sc.spokenWord(next); w == 0 {
			break
		}
		i = next + w
	}
	return match{}, false
}

// endsSentence reports a full stop behind the word of w bytes that ends at i, if it is no abbreviation such as No. or Tel.
func (sc *scanner) endsSentence(i, w int) bool {
	for i < len(sc.text) && strings.IndexByte("\"'`*)", sc.text[i]) >= 0 {
		i, w = i+1, maxWord
	}
	return sc.byteAt(i) == '.' && w > 3 && byteSets[sc.byteAt(i+1)]&wordSet == 0
}

// linkAt skips signs that may follow a word, and a sign or verb that links a value.
func (sc *scanner) linkAt(i int) (next int, _ link) {
	next = sc.skipAny(i, " \t\"'`*)(\\.#°º_")
	for _, quote := range [...]string{"”", "“", "»", "’"} {
		if strings.HasPrefix(sc.text[next:], quote) {
			next = sc.skipAny(next+len(quote), " ")
		}
	}
	switch rest := sc.text[next:]; {
	case rest == "":
		return next, bySpace
	case strings.HasPrefix(rest, "=>"), strings.HasPrefix(rest, "->"), strings.HasPrefix(rest, ":="):
		return sc.skipAny(next+2, " \t"), bySign
	case strings.HasPrefix(rest, "→"), strings.HasPrefix(rest, "是"), strings.HasPrefix(rest, "为"), strings.HasPrefix(rest, "は"):
		return sc.skipAny(next+3, " \t"), bySign
	case rest[0] == ':' && !strings.HasPrefix(rest, "://"), rest[0] == '=':
		return sc.skipAny(next+1, " \t*="), bySign
	case strings.HasPrefix(rest, "- "), strings.HasPrefix(rest, "| "), strings.HasPrefix(rest, "– "):
		_, size := utf8.DecodeRuneInString(rest)
		return sc.skipAny(next+size, " "), bySign
	}
	w := sc.spokenWord(next)
	if w == 0 || !announcingVerbs[strings.ToLower(sc.text[next:next+w])] {
		return next, bySpace
	}
	for next += w; ; next += w {
		next = sc.skipAny(next, " :*")
		if w = sc.spokenWord(next); w == 0 || !afterVerbs[strings.ToLower(sc.text[next:next+w])] {
			return next, byVerb
		}
	}
}

// skipAny skips a few bytes of the set.
func (sc *scanner) skipAny(i int, set string) int {
	stop := min(i+4, len(sc.text))
	for i < stop && strings.IndexByte(set, sc.text[i]) >= 0 {
		i++
	}
	return i
}

// spokenWord is the length of the word of letters at i, which a space or sign ends; 0 for none.
func (sc *scanner) spokenWord(i int) int {
	end := i
	for end < len(sc.text) && end-i <= maxWord && (isLetterByte(sc.text[end]) || sc.text[end] == '-' && end > i) {
		end++
	}
	if end-i > maxWord || isDigit(sc.byteAt(end)) || strings.IndexByte(" :=.\")'*`\t-", sc.byteAt(end)) < 0 {
		return 0
	}
	return end - i
}

// read reads the announced value at i.
func (sc *scanner) read(a announcement, i int, w way) (match, bool) {
	end, label := 0, secretLabel
	switch a.kind {
	case secretValue, settingValue, phraseValue:
		i, end = sc.secretAt(a, i, w)
	case codeValue:
		i = sc.skipAny(i, openingSigns)
		end = sc.codeAt(i, w)
	case numberValue:
		i = sc.skipAny(i, openingSigns)
		end, label = sc.groupsAt(i), idLabel
	case dateValue:
		i = sc.skipAny(i, openingSigns)
		end, label = sc.dateAt(i, w), dateLabel
	case phoneValue:
		i = sc.skipAny(i, openingSigns)
		end, label = sc.dialledAt(i, w), phoneLabel
	case wordsValue:
		i = sc.skipAny(i, openingSigns)
		end = sc.walletWordsAt(i)
	}
	return match{i, end, label}, end > i
}

const openingSigns = " \"'`*("

// codeAt is the end of the code at i: three to ten digits, in up to two groups.
func (sc *scanner) codeAt(i int, w way) int {
	if w.between > 0 && w.link == bySpace {
		return 0
	}
	end := i
	for end < len(sc.text) && isDigit(sc.text[end]) {
		end++
	}
	if end == i+3 && (sc.byteAt(end) == ' ' || sc.byteAt(end) == '-') && isDigit(sc.byteAt(end+1)) && isDigit(sc.byteAt(end+2)) && isDigit(sc.byteAt(end+3)) {
		end += 4
	}
	if n := end - i; n < 3 || n > 10 || !sc.endsNumber(end) {
		return 0
	}
	return end
}

// groupsAt is the end of the letters and digits in groups at i, if they have at least five and three digits.
func (sc *scanner) groupsAt(i int) int {
	const least, most = 5, 34
	end, count, digits := 0, 0, 0
	for at := i; ; {
		start, d := at, 0
		for isWordByte(sc.byteAt(at)) && sc.byteAt(at) != '_' {
			if isDigit(sc.text[at]) {
				d++
			}
			at++
		}
		n := at - start
		if n == 0 || count+n > most || d == 0 && (n > 4 || n > 1 && end > 0) || d == 0 && end == 0 && (n > 2 || !isUpper(sc.text[start])) {
			break
		}
		count, digits = count+n, digits+d
		if d > 0 || n == 1 && !isWordByte(sc.byteAt(at+1)) {
			end = at
		}
		b := sc.byteAt(at)
		if (b != ' ' && b != '-' && b != '.' && b != '/') || !isWordByte(sc.byteAt(at+1)) || b == '.' && !isDigit(sc.byteAt(at+1)) {
			break
		}
		at++
	}
	if count < least || digits < 3 || isLetterByte(sc.byteAt(end)) || sc.byteAt(end) == '%' || sc.byteAt(end) == ',' && isDigit(sc.byteAt(end+1)) {
		return 0
	}
	return end
}

func isUpper(b byte) bool { return b-'A' <= 'Z'-'A' }

// dateAt is the end of the date at i: numbers, or with the name of a month behind a sign.
func (sc *scanner) dateAt(i int, how way) int {
	numbers, names, digits := 0, 0, 0
	end := i
	for at := i; at < len(sc.text) && at < i+40; {
		switch b := sc.text[at]; {
		case isDigit(b):
			n := 0
			for isDigit(sc.byteAt(at)) {
				at++
				n++
			}
			numbers, digits = numbers+1, digits+n
			end = at
		case isLetterByte(b):
			w := sc.spokenWord(at)
			if w < 2 || names > 1 || numbers == 0 && names > 0 {
				at = len(sc.text)
				break
			}
			if w > 2 {
				names++ // others are de, th, and so on
			}
			at += w
		case strings.IndexByte(" ./-,", b) >= 0:
			at++
		default:
			at = len(sc.text)
		}
		if numbers == 3 || numbers == 2 && names == 1 && digits >= 5 {
			break
		}
	}
	if numbers == 3 && names == 0 && digits >= 4 || numbers == 2 && names == 1 && digits >= 5 && how.link == bySign {
		return end
	}
	return 0
}

// dialledAt is the end of the phone number at i.
func (sc *scanner) dialledAt(i int, w way) int {
	at, digits, groups, thousands := i, 0, 0, true
	if sc.byteAt(at) == '+' {
		at++
	}
	end := 0
	for {
		start := at
		for isDigit(sc.byteAt(at)) {
			at++
		}
		n := at - start
		if n == 0 || digits+n > maxPhoneDigits+2 {
			break
		}
		if groups++; groups > 1 && n != 3 {
			thousands = false
		}
		digits += n
		end = at
		next := sc.skipAny(at, " -/.()")
		if next == at || next > at+3 || !isDigit(sc.byteAt(next)) {
			break
		}
		at = next
	}
	sure := sc.byteAt(i) == '0' || sc.byteAt(i) == '+' || sc.byteAt(i) == '('
	switch {
	case digits < 7, digits > maxPhoneDigits+2, end == 0, !sc.endsNumber(end), isDateLike(sc.text[i:end]):
		return 0
	case sure, w.link == bySign && w.between == 0, digits >= 9 && groups <= 2 && w.link != byVerb:
		if !sure && thousands && groups > 1 && w.link != bySign {
			return 0
		}
		return end
	}
	return 0
}

// isDateLike reports a date of numbers: a year and two short groups.
func isDateLike(s string) bool {
	parts := strings.FieldsFunc(s, func(r rune) bool { return r == '-' || r == '.' || r == '/' })
	return len(parts) == 3 && (len(parts[0]) == 4 && len(parts[1]) <= 2 && len(parts[2]) <= 2 || len(parts[2]) == 4 && len(parts[0]) <= 2 && len(parts[1]) <= 2)
}

// walletWordsAt is the end of at least eleven words of three to eight small letters, which numbers may precede.
func (sc *scanner) walletWordsAt(i int) int {
	const least, most, short, long = 11, 26, 3, 8
	end, n := 0, 0
	for at := i; n < most; n++ {
		for at < len(sc.text) && strings.IndexByte(" ,.\n)0123456789", sc.text[at]) >= 0 && (at > i || n == 0) && at-max(end, i) < 6 {
			at++
		}
		start := at
		for sc.byteAt(at)-'a' <= 'z'-'a' {
			at++
		}
		if at-start < short || at-start > long || isWordByte(sc.byteAt(at)) {
			break
		}
		end = at
	}
	if n < least {
		return 0
	}
	return end
}

// Quotes that a value may be in, by what opens them.
//
//nolint:gochecknoglobals // read-only table
var valueQuotes = [...][2]string{{`\"`, `\"`}, {`"`, `"`}, {"'", "'"}, {"`", "`"}, {"“", "”"}, {"„", "“"}, {"«", "»"}, {"‘", "’"}, {"「", "」"}}

// secretAt returns the place of the secret at i; end is 0 if there is only prose.
func (sc *scanner) secretAt(a announcement, i int, w way) (start, end int) {
	if w.link == bySpace && w.between > 0 || a.kind == settingValue && (w.link != bySign || w.between > 0) {
		return i, 0
	}
	i = sc.skipAny(i, " *")
	for _, q := range valueQuotes {
		if strings.HasPrefix(sc.text[i:], q[0]) {
			open := i + len(q[0])
			inner := sc.skipScheme(open)
			end := sc.quotedEnd(inner, q[1])
			if end > inner && sc.isQuotedSecret(a, sc.text[inner:end], inner > open) {
				return inner, end
			}
			return i, 0
		}
	}
	start = sc.skipScheme(i)
	w.scheme = start > i
	if sc.byteAt(start) >= 0xE3 {
		return i, 0 // of a script without spaces: a sentence goes on
	}
	end = sc.unquotedEnd(start)
	if next := sc.byteAt(end); (next == '(' || next == '[') && isName(sc.text[start:end]) {
		return i, 0 // a call
	}
	if end > start && end < start+maxCandidate && sc.before(start, 1) == ' ' {
		end = sc.behindSigns(end)
	}
	if end == start || !sc.isSecret(a, start, end, w) {
		return i, 0
	}
	if end == start+maxCandidate {
		end = sc.unquotedRest(end)
	}
	return start, end
}

// skipScheme skips the scheme of an Authorization header.
func (sc *scanner) skipScheme(i int) int {
	for _, scheme := range [...]string{"basic ", "bearer ", "token ", "digest "} {
		if len(sc.text) >= i+len(scheme) && strings.EqualFold(sc.text[i:i+len(scheme)], scheme) {
			return i + len(scheme)
		}
	}
	return i
}

// quotedEnd is the end of the text up to the closing quote; 0 if that is not on the line, or a label is within.
func (sc *scanner) quotedEnd(i int, quote string) int {
	for at := i; at < len(sc.text) && at < i+maxCandidate; at++ {
		switch {
		case strings.HasPrefix(sc.text[at:], quote):
			return at
		case sc.text[at] == '\n', sc.text[at] == '[', sc.text[at] == ']':
			return 0
		}
	}
	return 0
}

// behindSigns is the end of the value whose run ends at end, with what follows brackets and separators in it: a password such as
// ab(c;d. What has a sign of a further setting is not part of it.
func (sc *scanner) behindSigns(end int) int {
	stop := end
	for stop < len(sc.text) && stop < end+maxCandidate && sc.text[stop] > ' ' {
		if strings.IndexByte("[]<>=:\"", sc.text[stop]) >= 0 {
			return end
		}
		stop++
	}
	return end + len(strings.TrimRight(sc.text[end:stop], ".,;:?!)}>'`*"))
}

// unquotedEnd is the end of the run at i, at most maxCandidate bytes long, without the signs that end a sentence.
func (sc *scanner) unquotedEnd(i int) int {
	end := i
	for end < len(sc.text) && end < i+maxCandidate && byteSets[sc.text[end]]&passwordSet != 0 {
		end++
	}
	if end < i+maxCandidate {
		end = i + len(strings.TrimRight(sc.text[i:end], ".:?*"))
	}
	return end
}

// unquotedRest is the end of a run that goes on at i.
func (sc *scanner) unquotedRest(i int) int {
	from := i
	for i < len(sc.text) && byteSets[sc.text[i]]&passwordSet != 0 {
		i++
	}
	sc.ahead.readAhead(from-maxCandidate, i)
	return i
}

func (sc *scanner) isQuotedSecret(a announcement, value string, scheme bool) bool {
	if isPlaceholder(value) {
		return false
	}
	words := strings.Count(strings.TrimSpace(value), " ") + 1
	t := traitsOf(value)
	switch {
	case words > 1:
		return a.kind == phraseValue || t.digits > 0 && len(value) >= 8 || scheme
	case t.letters == len(value):
		return len(value) >= 4 && !isProseWord(value)
	}
	return len(value) >= 3 && (t.letters > 0 || t.digits >= 4) && !isIdentifier(value)
}

// isSecret reports whether the text from start to end is a value and no prose.
func (sc *scanner) isSecret(a announcement, start, end int, w way) bool {
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
	case t.letters == len(value) || t.letters+t.dashes == len(value):
		return sc.isWordSecret(a, value, t, end, w.link)
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
func (sc *scanner) isWordSecret(a announcement, value string, t traits, end int, l link) bool {
	if len(value) < 4 || isProseWord(value) {
		return false
	}
	rest := sc.skipAny(end, ".!?;,)*`\"'")
	last := rest >= len(sc.text) || sc.text[rest] == '\n' || sc.text[rest] == '\r' || strings.IndexByte(";,)&", sc.byteAt(end)) >= 0
	if capitals := t.capitals > 1 && t.capitals < t.letters; capitals && (last && l != bySpace || isMixed(value, 4)) {
		return true
	}
	switch l {
	case bySign:
		return last
	case bySpace:
		return false
	case byVerb:
		return len(value) >= 16 && !strings.Contains(value, "-") || last && isUpper(value[0]) && !strings.HasSuffix(a.words, "wort") // German nouns have capitals
	}
	return false
}

// isMixed reports whether lower and upper case change between that many tenths of the neighbours: five in a random string of
// letters, less than three in names such as accessTokenValue.
func isMixed(s string, tenths int) bool {
	changes := 0
	for i := 1; i < len(s); i++ {
		if isUpper(s[i]) != isUpper(s[i-1]) {
			changes++
		}
	}
	return 10*changes >= tenths*(len(s)-1)
}

// traits count the bytes of a value by kind.
type traits struct{ letters, capitals, digits, dashes, signs int }

func traitsOf(s string) (t traits) {
	for i := range len(s) {
		switch b := s[i]; {
		case isLetterByte(b):
			t.letters++
			if isUpper(b) {
				t.capitals++
			}
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

// isPlaceholder reports values that stand for others: <key>, ${KEY}, {{key}}, ****, YOUR_KEY.
func isPlaceholder(s string) bool {
	first, _ := utf8.DecodeRuneInString(s)
	lower := strings.ToLower(s)
	return strings.IndexByte("<{$&", s[0]) >= 0 && !strings.ContainsFunc(s[1:], isDigitRune) || strings.Contains(s, "...") || strings.Contains(s, "…") ||
		strings.Trim(s, string(first)) == "" && !unicode.IsDigit(first) || strings.HasPrefix(lower, "your") || strings.HasPrefix(s, "%(") || strings.HasPrefix(s, "${")
}

func isDigitRune(r rune) bool { return '0' <= r && r <= '9' }

// isIdentifier reports names of code: words joined by underscores and full stops.
func isIdentifier(s string) bool {
	return (strings.IndexByte(s, '_') >= 0 || strings.IndexByte(s, '.') >= 0) && isName(s)
}

// isName reports a text of letters, underscores and full stops.
func isName(s string) bool {
	for i := range len(s) {
		if b := s[i]; !isWordByte(b) && b != '.' || isDigit(b) {
			return false
		}
	}
	return true
}

// isProseWord reports words that say something about a secret instead of being one.
func isProseWord(s string) bool {
	s = strings.ToLower(s)
	for _, end := range [...]string{
		"ed", "ing", "ion", "ment", "able", "ible", "ly", "less", "ful", "ory", "ary", "ive", "word", "wort", "token", "secret", "key", "passwd", "lich", "toire", "torio", "toria",
	} {
		if strings.HasSuffix(s, end) {
			return true
		}
	}
	return proseWords[s]
}

//nolint:gochecknoglobals // read-only table
var proseWords = wordSetOf("none null true false string text bytes number bool boolean hidden invalid valid incorrect correct wrong unknown optional " +
	"empty forgotten please must should can will when where which what with from that this than then they your here there only also each same both either " +
	"case-sensitive falsch richtig unbekannt ungültig vergessen pflicht abgelaufen nicht wird kann soll muss eine einer obligatoire incorrecte " +
	"requerida requerido incorrecta oubli doit dans pour olvidada debe vereist verlopen wymagane basic bearer digest undefined")
