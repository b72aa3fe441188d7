package sampling

import (
	"encoding/binary"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"

	"confab/internal/text"
	"confab/schemas"
)

// canaryForm are false statements about a source in one language, with places for the source's label and a number.
type canaryForm struct {
	script text.Script
	words  string // frequent words, or letters, that tell it from other languages of the script; "" for none
	forms  [3]string
}

// canaryForms are the languages of canary statements. The first is for all others.
//
//nolint:gochecknoglobals // a read-only table
var canaryForms = [...]canaryForm{
	{script: text.Latin, words: " the of and to is in for it that with ", forms: [3]string{"Source %s gives the total as %d.", "According to source %s, it is number %d.", "Source %s speaks of %d cases."}},
	{script: text.Latin, words: " der die das und ist nicht ein eine zu mit den von für ", forms: [3]string{"Quelle %s nennt als Summe %d.", "Laut Quelle %s ist es die Nummer %d.", "Quelle %s spricht von %d Fällen."}},
	{script: text.Latin, words: " el los las y es con por un una que de la en no lo se del al ", forms: [3]string{"La fuente %s da un total de %d.", "Según la fuente %s, es el número %d.", "La fuente %s habla de %d casos."}},
	{script: text.Latin, words: " le les des et est une pas pour dans du que vous de la un en à au ne ", forms: [3]string{"La source %s donne un total de %d.", "Selon la source %s, c'est le numéro %d.", "La source %s parle de %d cas."}},
	{script: text.Latin, words: " il di che per della è sono non con gli la i in ci fino al un' un dopo ", forms: [3]string{"La fonte %s indica un totale di %d.", "Secondo la fonte %s, è il numero %d.", "La fonte %s parla di %d casi."}},
	{script: text.Latin, words: " o os da do que não uma com para em ", forms: [3]string{"A fonte %s indica um total de %d.", "Segundo a fonte %s, é o número %d.", "A fonte %s fala de %d casos."}},
	{script: text.Latin, words: " de het een en van is niet voor met op ", forms: [3]string{"Bron %s noemt een totaal van %d.", "Volgens bron %s is het nummer %d.", "Bron %s spreekt van %d gevallen."}},
	{script: text.Cyrillic, forms: [3]string{"Источник %s указывает итог %d.", "Согласно источнику %s, это номер %d.", "Источник %s говорит о %d случаях."}},
	{script: text.Ideographic, words: "のはをがです", forms: [3]string{"資料%sによると、合計は%dです。", "資料%sには番号%dとあります。", "資料%sは%d件と述べています。"}},
	{script: text.Ideographic, forms: [3]string{"来源%s给出的总数是%d。", "根据来源%s,编号是%d。", "来源%s提到%d例。"}},
	{script: text.Hangul, forms: [3]string{"출처 %s에 따르면 합계는 %d입니다.", "출처 %s에는 번호가 %d로 나와 있습니다.", "출처 %s는 %d건을 언급합니다."}},
	{script: text.Arabic, forms: [3]string{"يذكر المصدر %s أن المجموع %d.", "وفقا للمصدر %s فإن الرقم هو %d.", "يتحدث المصدر %s عن %d حالة."}},
}

// canary is a statement that no source supports, in the language of the answer, or that contradicts arithmetic.
type canary struct {
	statement string
	number    string
	draw      uint64 // random, to choose a place by
}

const canaryTries = 8

// newCanary draws a canary statement about one of the sources; without any, a sum that is wrong. Its number is neither in these nor in the answer.
func newCanary(random io.Reader, r *schemas.JudgeRequest) (c canary, err error) {
	forms := &canaryFormOf(r.Answer).forms
	for range canaryTries {
		var b [20]byte
		if _, err := io.ReadFull(random, b[:]); err != nil {
			return c, fmt.Errorf("draw canary statement: %w", err)
		}
		number := 10_000 + binary.LittleEndian.Uint32(b[:4])%90_000
		c.statement = fmt.Sprintf("%d + %d = %d.", 10+b[4]%90, 10+b[5]%90, number)
		if n := uint32(len(r.Sources)); n > 0 {
			label := r.Sources[binary.LittleEndian.Uint32(b[4:8])%n].Label
			c.statement = fmt.Sprintf(forms[binary.LittleEndian.Uint32(b[8:12])%uint32(len(forms))], label, number)
		}
		c.number, c.draw = strconv.FormatUint(uint64(number), 10), binary.LittleEndian.Uint64(b[12:])
		has := func(s schemas.JudgeSource) bool { return containsNumber(s.Text, c.number) }
		if !containsNumber(r.Answer, c.number) && !slices.ContainsFunc(r.Sources, has) {
			break
		}
	}
	return c, nil
}

// canaryFormOf are the forms in the language of the text.
func canaryFormOf(s string) *canaryForm {
	script, best, most := text.ScriptOf(s), &canaryForms[0], 0
	for i := range canaryForms {
		f := &canaryForms[i]
		n := 0
		switch {
		case f.script != script:
		case script != text.Latin && (f.words == "" || strings.ContainsAny(s, f.words)):
			return f
		default:
			for w := range strings.FieldsSeq(strings.ToLower(s)) {
				if strings.Contains(f.words, " "+w+" ") {
					n++
				}
			}
		}
		if n > most {
			best, most = f, n
		}
	}
	return best
}

func containsNumber(s, number string) bool {
	want := text.Hash(number)
	return slices.ContainsFunc(text.AppendTokens(nil, s), func(t text.Token) bool { return t.Hash == want })
}

// minCanaryQuote is the length in bytes from which a part of the canary statement is told from words of the answer.
const minCanaryQuote = 12

// isQuoted reports whether the quote is of the canary statement, whose number an own pattern may have redacted.
func (c *canary) isQuoted(quote string) bool {
	folded, statement := text.Fold(quote).Text, text.Fold(c.statement)
	_, _, found := statement.Find(quote)
	return strings.Contains(folded, c.number) || len(folded) >= minCanaryQuote && found
}

// cut cuts the statement out of a quote of what was sent, the answer with the statement, and reports whether it was there. Of one that
// nobody can find, a short one is of the statement alone.
func (c *canary) cut(quote, sent string) (rest string, quoted bool) {
	if !c.isQuoted(quote) {
		return quote, false
	}
	statement, folded := text.Fold(c.statement), text.Fold(sent)
	if _, _, alone := statement.Find(quote); alone {
		return "", true
	}
	start, end, ok := folded.Find(quote)
	switch at := strings.Index(sent, c.statement); {
	case ok:
		return sent[start:min(end, max(start, at))] + sent[min(end, max(start, at+len(c.statement))):end], true
	case len(text.Fold(quote).Text) > len(statement.Text):
		return quote, true
	}
	return "", true
}

// addTo adds the statement to the answer, as its first or its last paragraph.
func (c *canary) addTo(answer string) string {
	if c.draw&1 == 0 || strings.Count(answer, "```")%2 == 1 { // an open block of code has no paragraph after it
		return c.statement + "\n\n" + answer
	}
	return answer + "\n\n" + c.statement
}
