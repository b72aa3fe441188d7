package sampling

import (
	"bytes"
	"crypto/rand"
	"errors"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"confab/internal/llm"
	"confab/schemas"
)

func TestReplyJSON(t *testing.T) {
	for name, tt := range map[string]struct {
		reply llm.Reply
		want  string
		err   error
	}{
		"plain":                {llm.Reply{Text: " {\"a\": 1}\n"}, `{"a": 1}`, nil},
		"fenced":               {llm.Reply{Text: "```json\n{}\n```"}, `{}`, nil},
		"fenced, no language":  {llm.Reply{Text: "```\n{}\n```\n"}, `{}`, nil},
		"after a thought":      {llm.Reply{Text: "<think>{}</think>\n{\"a\": 1}"}, `{"a": 1}`, nil},
		"an endless thought":   {llm.Reply{Text: "<think>{}"}, "", schemas.JudgeUnreadable},
		"fence left open":      {llm.Reply{Text: "```json\n{}"}, "", schemas.JudgeUnreadable},
		"prose":                {llm.Reply{Text: "Sure: {}"}, "", schemas.JudgeUnreadable},
		"a list":               {llm.Reply{Text: "[]"}, "", schemas.JudgeUnreadable},
		"nothing":              {llm.Reply{}, "", schemas.JudgeUnreadable},
		"cut off":              {llm.Reply{Text: "{}", Finish: "length"}, "", schemas.JudgeUnreadable},
		"refused":              {llm.Reply{Text: "{}", Refusal: "no"}, "", schemas.JudgeRefused},
		"filtered":             {llm.Reply{Text: "{}", Finish: "content_filter"}, "", schemas.JudgeRefused},
		"a lone fence and end": {llm.Reply{Text: "```"}, "", schemas.JudgeUnreadable},
	} {
		t.Run(name, func(t *testing.T) {
			got, err := replyJSON(tt.reply)
			require.Equal(t, tt.err, err)
			require.Equal(t, tt.want, string(got))
		})
	}
}

func TestReadStatements(t *testing.T) {
	list, err := readStatements([]byte(`{"statements": [" One. ", "", "Two."], "note": "kept out"}`))
	require.NoError(t, err)
	require.Equal(t, []string{"One.", "Two."}, list)
	for name, body := range map[string]string{
		"none": `{}`, "null": `{"statements":null}`, "a number": `{"statements":[1]}`, "text": `{"statements":"One."}`, "more": `{"statements":[]} x`,
		"too many": `{"statements":["a"` + strings.Repeat(`,"a"`, maxStatements) + `]}`,
		"too long": `{"statements":["` + strings.Repeat("a", maxStatementBytes+1) + `"]}`,
	} {
		t.Run(name, func(t *testing.T) {
			_, err := readStatements([]byte(body))
			require.ErrorIs(t, err, schemas.JudgeUnreadable)
		})
	}
}

// For every reply there is a valid verdict for each index, or an error.
func FuzzReadVerdicts(f *testing.F) {
	for _, s := range []string{
		`{"verdicts":[{"index":1,"verdict":1,"confidence":0.5,"reason":"x"},{"index":2,"verdict":0}]}`,
		`{"verdicts":[{"index":0,"verdict":1},{"index":0,"verdict":1}]}`, `{"verdicts":[{"index":0,"verdict":1,"confidence":7}]}`,
		`{"verdicts":null}`, `{}`, `[]`, `{"verdicts":[{"index":9999999999999999999}]}`, `{"relations":[{"index":0,"relation":"neutral","confidence":1e-9}]}`,
	} {
		f.Add([]byte(s), 2)
	}
	f.Fuzz(func(t *testing.T, body []byte, n int) {
		n = max(1, n%64)
		verdicts, err := readVerdicts(body, n)
		if err != nil {
			require.ErrorIs(t, err, schemas.JudgeUnreadable)
			require.Empty(t, verdicts)
		} else {
			require.Len(t, verdicts, n)
		}
		for _, v := range verdicts {
			require.True(t, v.Confidence >= 0 && v.Confidence <= 1)
			require.LessOrEqual(t, len(v.Reason), maxReasonBytes)
		}
		relations, err := readRelations(body, n)
		if err == nil {
			require.Len(t, relations, n)
		}
		for _, r := range relations {
			require.InDelta(t, 1, r.Entailment+r.Neutral+r.Contradiction, 1e-9)
			require.GreaterOrEqual(t, min(r.Entailment, r.Neutral, r.Contradiction), 0.0)
		}
	})
}

// Sanitized text contains no mark, however deeply nested.
func FuzzTame(f *testing.F) {
	for _, s := range []string{"plain", "<|im_start|>", "<|im<|x|>_end|>", "[IN[INST]ST]", "<<<DATA-ab<DATA-0", "DATA-DATA-1>>2>>", "\u202e\x00", "\xff", "</</s>s>"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		out := sanitizeText(s)
		require.False(t, templateSequences.MatchString(out), "%q", out)
		require.Equal(t, out, sanitizeText(out))
	})
}

func TestNewCanary(t *testing.T) {
	// The first number occurs in a source in another notation: another one is drawn.
	first := append(make([]byte, 20), bytes.Repeat([]byte{1}, 20)...)
	c, err := newCanary(bytes.NewReader(first), &schemas.JudgeRequest{Answer: "All of the people came to the hall on that day.", Sources: []schemas.JudgeSource{{Label: "7", Text: "In all, 10,000 people came."}}})
	require.NoError(t, err)
	require.NotContains(t, c.statement, "10000")
	require.Contains(t, c.statement, c.number)

	for answer, want := range map[string]string{
		"All of the people came to the hall on that day.":                                  "ource",
		"Die Leute kamen alle an dem Tag in die Halle, und das war nicht zu wenig":         "uelle",
		"Il negozio è aperto tutti i giorni e non chiude per le feste di Natale.":          "fonte",
		"A loja não fecha para o Natal, mas o horário do dia é uma hora menor.":            "fonte",
		"De winkel is op maandag niet open voor het publiek, en ook niet op een feestdag.": "ron",
		"La tienda no abre los lunes y el horario de los demás días es el de siempre.":     "fuente",
		"Le magasin est ouvert tous les jours, et les frais de port ne sont pas dus.":      "source",
		"Магазин открыт каждый день, кроме понедельника.":                                  "сточник",
		"店は月曜日を除いて毎日開いています。":                                                               "資料", "除星期一外,商店每天营业。": "来源", "가게는 매일 문을 엽니다.": "출처", "المتجر مفتوح كل يوم.": "المصدر", "": "ource",
	} {
		c, err := newCanary(rand.Reader, &schemas.JudgeRequest{Answer: answer, Sources: []schemas.JudgeSource{{Label: "7"}}})
		require.NoError(t, err)
		require.Contains(t, strings.ReplaceAll(c.statement, "للمصدر", "المصدر"), want, answer)
		require.Contains(t, c.statement, "7")
		require.True(t, c.isQuoted(c.statement) && c.isQuoted(c.number) && c.isQuoted("…"+strings.ToUpper(c.statement)))
		require.True(t, c.isQuoted(strings.Replace(c.statement, c.number, "[zip-5]", 1)), "redacted by an own pattern")
		require.False(t, answer != "" && c.isQuoted(answer) || c.isQuoted("") || c.isQuoted("7"))
		require.Contains(t, c.addTo("```\nopen"), c.statement+"\n\n```")

		sent := c.addTo(answer)
		for quote, want := range map[string]string{
			c.statement: "", c.number: "", strings.ToUpper(c.statement): "", "so " + c.number: "", sent: answer, "«" + sent + "»": answer,
			sent + " 7": sent + " 7", c.statement + " " + answer + " " + c.statement: c.statement + " " + answer + " " + c.statement,
		} {
			rest, quoted := c.cut(quote, sent)
			require.True(t, quoted)
			if answer != "" {
				require.Equal(t, strings.Trim(want, " .。"), strings.Trim(rest, " .。\n"))
			}
		}
		rest, quoted := c.cut(answer, sent)
		require.Equal(t, answer, rest)
		require.False(t, quoted)
	}

	c, err = newCanary(rand.Reader, &schemas.JudgeRequest{Answer: "It opens at nine."})
	require.NoError(t, err)
	require.Regexp(t, `^\d\d \+ \d\d = \d{5}\.$`, c.statement, "without sources it names none")

	_, err = newCanary(bytes.NewReader(nil), &schemas.JudgeRequest{})
	require.ErrorContains(t, err, "draw canary statement")
	_, err = newMark(bytes.NewReader(nil))
	require.ErrorContains(t, err, "draw marks")
	_, _, err = newCanaryPair(bytes.NewReader(nil), 1)
	require.ErrorContains(t, err, "draw canary pair")
}

// Every shape of a reply has one outcome: faults, or an unreadable reply.
func TestReadFaults(t *testing.T) {
	one := func(fields string) string { return `{"faults":[{` + fields + `}]}` }
	const quote = `"quote":"the fee"`
	is := func(change func(*schemas.Fault)) []schemas.Fault {
		f := schemas.Fault{Quote: "the fee", Stance: schemas.Unsupported, Probability: 1}
		change(&f)
		return []schemas.Fault{f}
	}
	plain := func(*schemas.Fault) {}
	for name, tt := range map[string]struct {
		body string
		want []schemas.Fault // nil: unreadable
	}{
		"none": {`{"faults":[]}`, []schemas.Fault{}},
		"all fields": {one(quote + `,"stance":"contradicted","source":"2","instead":" £5 ","material":false,"probability":0.4`), is(func(f *schemas.Fault) {
			f.Stance, f.Source, f.Instead, f.Immaterial, f.Probability = schemas.Contradicted, "2", "£5", true, .4
		})},
		"only a quote":          {one(quote), is(plain)},
		"more than was asked":   {`{"verdict":"no faults","faults":[{` + quote + `,"why":[1]}],"note":{}}`, is(plain)},
		"probability as text":   {one(quote + `,"probability":"0.4"`), is(func(f *schemas.Fault) { f.Probability = .4 })},
		"percent":               {one(quote + `,"probability":"40 %"`), is(func(f *schemas.Fault) { f.Probability = .4 })},
		"no probability":        {one(quote + `,"probability":null`), is(plain)},
		"probability of 7":      {one(quote + `,"probability":7`), nil},
		"below 0":               {one(quote + `,"probability":-0.1`), nil},
		"40 without percent":    {one(quote + `,"probability":"40"`), nil},
		"probability in words":  {one(quote + `,"probability":"high"`), nil},
		"probability as NaN":    {one(quote + `,"probability":"NaN"`), nil},
		"probability as object": {one(quote + `,"probability":{}`), nil},
		"source as number":      {one(quote + `,"source":2`), is(func(f *schemas.Fault) { f.Source = "2" })},
		"source in words":       {one(quote + `,"source":"Source [2] (id a)"`), is(func(f *schemas.Fault) { f.Source = "2" })},
		"source as list":        {one(quote + `,"source":[2]`), nil},
		"another stance":        {one(quote + `,"stance":"hallucination"`), is(plain)},
		"a stance in capitals":  {one(quote + `,"stance":"Contradiction"`), is(func(f *schemas.Fault) { f.Stance = schemas.Contradicted })},
		"a stance as number":    {one(quote + `,"stance":1`), nil},
		"material as text":      {one(quote + `,"material":"yes"`), nil},
		"no quote":              {one(`"stance":"contradicted","probability":1`), nil},
		"quote of null":         {one(`"quote":null`), nil},
		"an empty quote":        {one(`"quote":""`), is(func(f *schemas.Fault) { f.Quote = "" })},
		"no list":               {`{}`, nil},
		"null":                  {`{"faults":null}`, nil},
		"words":                 {`{"faults":"none"}`, nil},
		"a list of words":       {`{"faults":["the fee"]}`, nil},
		"a verdict":             {`{"verdicts":[{"index":1,"verdict":1}]}`, nil},
		"a thousand":            {`{"faults":[{` + quote + `}` + strings.Repeat(`,{`+quote+`}`, 999) + `]}`, nil},
		"text after it":         {`{"faults":[]} All is well.`, nil},
		"cut off":               {`{"faults":[{"quote":"the f`, nil},
	} {
		t.Run(name, func(t *testing.T) {
			got, err := readFaults([]byte(tt.body))
			if tt.want == nil {
				require.ErrorIs(t, err, schemas.JudgeUnreadable)
				return
			}
			require.NoError(t, err)
			require.Equal(t, tt.want, got)
		})
	}
}

func TestNotJudged(t *testing.T) {
	for why, skips := range map[schemas.NotJudged]bool{
		schemas.BudgetSpent: true, schemas.OptedOut: true, schemas.JudgeCompromised: false, schemas.JudgeUnreadable: false, schemas.JudgeRefused: false,
	} {
		require.Equal(t, skips, why.Skips(), string(why))
		found, is := errors.AsType[schemas.NotJudged](error(why))
		require.True(t, is)
		require.Equal(t, string(found), why.Error())
	}
}
