package citations

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"confab/internal/text"
)

// The word tables are read-only. Words are in lower case.
//
//nolint:gochecknoglobals // read-only tables
var (
	// nouns name a source before its number.
	nouns = text.HashSet(`source sources document documents doc docs passage passages reference references ref refs citation
		citations cite cites context contexts excerpt excerpts snippet snippets chunk chunks evidence
		quelle quellen dokument dokumente dokumenten textstelle beleg fundstelle
		fuente fuentes documento documentos pasaje pasajes referencia referencias fragmento
		référence références extrait extraits fonte fonti fontes documenti bron bronnen źródło dokumentu
		источник источники источнику документ документы документу المصدر الوثيقة स्रोत दस्तावेज़
		来源 來源 文档 文檔 文件 资料 資料 参考 參考 参考资料 文献 引用 出典 文書 출처 문서 ที่มา`)
	// proseNouns name a source in running text.
	proseNouns = text.HashSet(`source sources document documents passage passages doc reference excerpt snippet
		quelle quellen dokument textstelle fuente fuentes documento documentos pasaje extrait fonte fonti documenti bron
		источник источнику документ документу المصدر स्रोत 来源 來源 文档 文檔 资料 資料 出典 文書 출처 문서`)
	// leadIns stand before a citation in brackets.
	leadIns = text.HashSet(`see cf per from also via siehe vgl laut gemäß aus véase ver vea según cf voir selon vedi zie смотри см
		参见 參見 参阅 见 見 根据 據 据 依据`)
	// cues stand before a source in running text and make it a citation.
	cues = text.HashSet(`to per see article with laut gemäß zufolge siehe según véase selon voir secondo volgens согласно 根据 根據 据 依据 参见`)
	// cueStarts precede the last word of a cue, and determiners of the noun.
	cueStarts = text.HashSet(`according in from by as stated reported noted described shown said la el le les der die das dem den il the
		wie en dans nach aus d après also both`)
	// verbs follow a source in running text and make it a citation.
	verbs = text.HashSet(`says say states state mentions notes note reports report shows show confirms confirm describes explains
		indicates claims adds writes lists gives contradicts agrees tells specifies records puts
		sagt nennt besagt schreibt berichtet gibt bestätigt zeigt erwähnt dice indica afirma menciona señala dit indique affirme
		mentionne précise говорит сообщает указывает`)
	// notCited precede a number in parentheses that is no citation.
	notCited = text.HashSet(`equation equations eq eqn step steps option options item items section sections article articles note notes
		paragraph rule rules clause type types phase level grade category figure figures fig table tables page pages chapter
		part parts class stage version day week group number no unit room line row column question answer problem exercise
		formula theorem lemma gleichung schritt abschnitt absatz artikel seite paso página ecuación étape équation
		one two three four five six seven eight nine ten eins zwei drei vier fünf uno dos tres un deux trois`)
	// exponentWords are units and symbols before a superscript that is an exponent.
	exponentWords = text.HashSet(`m km cm mm dm nm ft yd mi in s c r x y z n e a b i j k t v w sec min hr kg mol pi sin cos tan log ln mc
		inch foot mile meter metre meters metres px`)
	// referrals are the words of sentences that only point to a source.
	referrals = text.HashSet(`information info detail details method methods answer found find described describe mentioned stated given
		listed outlined provided discussed explained shown cited covered taken comes come based supported confirmed referenced
		available appears appear refer according source sources document documents passage passages reference text
		informationen angaben beschrieben genannt steht findet información descrito encuentra informations décrit trouve`)
	// tagNames are elements that hold a citation.
	tagNames = text.HashSet(`cite citation ref source doc reference`)
	// months precede a year without being an author.
	months = text.HashSet(`january february march april may june july august september october november december
		spring summer autumn fall winter since until early late mid in`)
)

// referenceHeadings stand over a list of references.
//
//nolint:gochecknoglobals // a read-only table
var referenceHeadings = []string{
	"references", "sources", "citations", "bibliography", "footnotes", "works cited", "quellen", "quellenangaben", "literatur",
	"einzelnachweise", "fuentes", "referencias", "bibliografía", "références", "bibliographie", "fonti", "参考文献", "参考资料", "来源",
	"參考資料", "資料來源", "出典",
}

// maxTableWord is the longest word of the tables, in bytes.
const maxTableWord = 32

// IsReferral reports the hash of a word with which a sentence only refers to a source: "this information can be found in".
func IsReferral(word uint64) bool { return referrals.Has(word) }

// leadingWord is the word of letters at the start of s.
func leadingWord(s string) string {
	for i, r := range s {
		if !unicode.IsLetter(r) && !unicode.IsMark(r) {
			return s[:i]
		}
	}
	return s
}

// cutNoun cuts a word for a source off the front of a label, with what joins it to its number: "Source no. 1", "doc-1".
func cutNoun(s string) (label string, ok bool) {
	for range 2 { // "Ref: Passage 1"
		word := leadingWord(s)
		if !nouns.Has(text.Hash(word)) {
			break
		}
		s, ok = trimJoin(s[len(word):]), true
	}
	return s, ok
}

// trimJoin cuts off what stands between a noun and its number.
func trimJoin(s string) string {
	s = strings.TrimLeft(s, " :：#-_.=")
	for _, join := range [...]string{"n°", "nº", "№", "no.", "No.", "nr.", "Nr.", "núm.", "number ", "nummer ", "Nummer ", "id:", "id=", "id ", "ID:", "ID "} {
		if rest, ok := strings.CutPrefix(s, join); ok {
			return strings.TrimLeft(rest, " :#")
		}
	}
	return s
}

// cutPart cuts the first of several labels off s.
func cutPart(s string) (part, rest string) {
	end, skip := len(s), 0
	if i := strings.IndexAny(s, ",;&，、；"); i >= 0 {
		_, size := utf8.DecodeRuneInString(s[i:])
		end, skip = i, size
	}
	for _, and := range [...]string{" and ", " und ", " et ", " y ", " e ", "和", "与", "及"} {
		if i := strings.Index(s[:end], and); i >= 0 {
			end, skip = i, len(and)
		}
	}
	return strings.TrimSpace(s[:end]), s[min(len(s), end+skip):]
}
