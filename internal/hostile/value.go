package hostile

import (
	"fmt"
	"math"
	"strings"

	"confab/schemas"
)

func (b *recordBuilder) message(role, content string) {
	b.Interaction.Messages = append(b.Interaction.Messages, schemas.Message{Role: role, Content: content})
}

// plainRecord is the beginning of a valid record, to which a kind adds a member.
const plainRecord = `{"answer":"The bridge opened in May 1937.","sources":["The bridge opened in 1937."],`

// rawKind returns a kind whose value the encoder cannot produce.
func rawKind(name, refused string, build func(b *recordBuilder, n int) string) Kind {
	return Kind{name, ValueCap - 20_000, func(b *recordBuilder, n int) { b.Raw, b.Refused = []byte(build(b, n)), refused }}
}

// valueKinds returns records whose JSON is large apart from its text.
func valueKinds() []Kind {
	times := func(s string, n int) string { return strings.Repeat(s, n/len(s)) }
	return []Kind{
		rawKind("unknown members", "", func(_ *recordBuilder, n int) string {
			return plainRecord + delimitedList(n, "", "}", func(i int) string { return fmt.Sprintf(`"u%d":0`, i) })
		}),
		rawKind("unknown lists", "", func(_ *recordBuilder, n int) string {
			return plainRecord + `"u":` + delimitedList(n, "[", "]}", func(int) string { return "[[]]" })
		}),
		rawKind("unknown numbers", "", func(_ *recordBuilder, n int) string {
			return plainRecord + `"u":` + delimitedList(n, "[", "]}", func(int) string { return "-1.5e-307" })
		}),
		rawKind("long number", "", func(_ *recordBuilder, n int) string { return plainRecord + `"u":` + strings.Repeat("9", n) + "}" }),
		rawKind("blanks between members", "", func(_ *recordBuilder, n int) string { return plainRecord + strings.Repeat(" \n\t\r", n/4) + `"u":0}` }),
		rawKind("escaped letters", "", func(_ *recordBuilder, n int) string { return `{"answer":"` + times(`\u0061`, n) + `"}` }),
		rawKind("escaped line breaks", "", func(_ *recordBuilder, n int) string { return `{"answer":"` + times(`\n`, n) + `"}` }),
		rawKind("escaped controls", "", func(_ *recordBuilder, n int) string { return `{"answer":"` + times(`\u0000\u001b`, n) + `"}` }),
		rawKind("surrogate pairs", "", func(_ *recordBuilder, n int) string { return `{"answer":"` + times(`\ud83d\ude00`, n) + `"}` }),
		rawKind("lone surrogates", "", func(_ *recordBuilder, n int) string { return `{"answer":"` + times(`\ud800`, n) + `"}` }),
		rawKind("270,000 ligatures", "", func(_ *recordBuilder, n int) string { return `{"answer":"` + times("\ufdfa", n) + `"}` }),
		rawKind("content in parts", "", func(_ *recordBuilder, n int) string {
			return plainRecord + `"messages":[{"role":"user","content":` +
				delimitedList(n, "[", "]}]}", func(int) string { return `{"text":"` + strings.Repeat("a", n/7000) + `"}` })
		}),
		rawKind("sources by id", "", func(_ *recordBuilder, n int) string {
			return `{"answer":"It is [1].","sources":` + delimitedList(min(n, 80_000), "{", "}}", func(i int) string { return fmt.Sprintf(`"s%d":"t"`, i) })
		}),
		rawKind("attributes of numbers", "", func(_ *recordBuilder, n int) string {
			number := strings.Repeat("7", n/1200)
			return plainRecord + `"attributes":` + delimitedList(n*4/5, "{", "}}", func(i int) string { return fmt.Sprintf(`"a%d":%s`, i, number) })
		}),
		rawKind("members in another order", "", func(b *recordBuilder, n int) string {
			return `{"unknown":{"answer":"no"},"sources":` + delimitedList(min(n, 80_000), "[", "]", func(int) string { return `{"text":"a","x":[{}]}` }) + `,"answer":"yes"}`
		}),
	}
}

// fieldKinds returns records with one field at its limit.
func fieldKinds() []Kind {
	return []Kind{
		{"messages", ValueCap - 20_000, func(b *recordBuilder, n int) {
			b.Interaction.Answer = "It opened in May 1937."
			for range 8000 {
				b.message("user", fillText(max(0, n/8000-40), func() string { return randomClaim(b.Rand) }))
			}
		}},
		{"one long message", ValueCap - 20_000, func(b *recordBuilder, n int) {
			b.Interaction.Answer = "It opened in May 1937."
			b.message("user", fillText(n, func() string { return randomClaim(b.Rand) }))
		}},
		{"attributes", ValueCap - 20_000, func(b *recordBuilder, n int) {
			b.Interaction.Answer, b.Interaction.Attributes = "It opened in May 1937.", map[string]string{}
			for i := range 1000 {
				b.Interaction.Attributes[fmt.Sprint("a", i)] = strings.Repeat("v", n/1100)
			}
		}},
		{"control characters in the tenant", 10_000, func(b *recordBuilder, n int) {
			b.Interaction.Answer = fillText(n, func() string { return randomClaim(b.Rand) })
			b.Interaction.Tenant = strings.Repeat("a\x1b[31m\r\n\u202e\x00", n/40)
		}},
		{"extreme temperature", 10_000, func(b *recordBuilder, n int) {
			b.Interaction.Answer = fillText(n, func() string { return randomClaim(b.Rand) })
			b.Interaction.Temperature = math.MaxFloat64
		}},
		rawKind("year 1", "", func(_ *recordBuilder, n int) string { return plainRecord + `"occurred_at":"0001-01-01T00:00:00Z"}` }),
		rawKind("milliseconds of year 9999", "", func(_ *recordBuilder, n int) string { return plainRecord + `"occurred_at":253402300799999}` }),
		rawKind("empty answer", "", func(_ *recordBuilder, n int) string {
			return `{"answer":"","sources":["` + fillText(n, func() string { return "a " }) + `"]}`
		}),
	}
}

// refusedKinds returns values that the decoder rejects, and some that it reads without their malformed field.
func refusedKinds() []Kind {
	const readable = ""
	filler := func(n int) string { return `"x":"` + strings.Repeat("a", n) + `",` }
	bad := func(name, reason, member string) Kind {
		return rawKind(name, reason, func(_ *recordBuilder, n int) string { return plainRecord + filler(n) + member + "}" })
	}
	return []Kind{
		rawKind("deep value", "too_deep", func(_ *recordBuilder, n int) string { return strings.Repeat(`{"a":`, n/5) }),
		rawKind("deep lists", "too_deep", func(_ *recordBuilder, n int) string { return plainRecord + `"x":` + strings.Repeat("[", n) }),
		rawKind("not JSON", "syntax", func(b *recordBuilder, n int) string { return fillText(n, func() string { return randomClaim(b.Rand) }) }),
		rawKind("open value", "syntax", func(_ *recordBuilder, n int) string { return plainRecord + strings.TrimSuffix(filler(n), `",`) }),
		rawKind("two values", "trailing_bytes", func(_ *recordBuilder, n int) string { return plainRecord + filler(n) + `"y":0} {}` }),
		rawKind("empty value", "syntax", func(*recordBuilder, int) string { return "" }),
		rawKind("nul bytes", "syntax", func(_ *recordBuilder, n int) string { return strings.Repeat("\x00", n) }),
		rawKind("not UTF-8", "bad_utf8", func(_ *recordBuilder, n int) string {
			return plainRecord + `"x":"` + strings.Repeat("a", n) + "\xff\"}"
		}),
		rawKind("overlong UTF-8", "bad_utf8", func(_ *recordBuilder, n int) string {
			return plainRecord + `"x":"` + strings.Repeat("a", n) + "\xc0\xaf\"}"
		}),
		rawKind("raw control character", "control_character", func(_ *recordBuilder, n int) string { return plainRecord + `"x":"` + strings.Repeat("a", n) + "\n\"}" }),
		rawKind("members named twice", "duplicate_key", func(_ *recordBuilder, n int) string {
			return plainRecord + delimitedList(n, "", `,"u0":1}`, func(i int) string { return fmt.Sprintf(`"u%d":0`, i) })
		}),
		bad("tenant in another case", "case_variant", `"TENANT":"other"`),
		rawKind("no answer", "missing_answer", func(_ *recordBuilder, n int) string { return `{` + filler(n) + `"y":0}` }),
		bad("answer of null", "duplicate_key", `"answer":null`),
		bad("wrong type", readable, `"tags":17`),
		bad("temperature of 1e400", readable, `"temperature":1e400`),
		bad("year 292277026596", readable, `"occurred_at":"+292277026596-12-04T15:30:07Z"`),
		bad("milliseconds beyond int64", readable, `"occurred_at":9223372036854775808`),
		bad("packed log-probabilities cut short", readable, `"token_logprobs":"AACAvw==","top_k":4`),
		rawKind("9,000 messages", "too_many", func(*recordBuilder, int) string {
			return plainRecord + `"messages":` + delimitedList(9000*15, "[", "]}", func(int) string { return `{"content":""}` })
		}),
		rawKind("9,000 sources", "too_many", func(*recordBuilder, int) string {
			return `{"answer":"a","sources":` + delimitedList(9000*4, "[", "]}", func(int) string { return `"s"` })
		}),
		rawKind("2,000 tags", "too_many", func(*recordBuilder, int) string {
			return plainRecord + `"tags":` + delimitedList(8000, "[", "]}", func(int) string { return `"t"` })
		}),
	}
}

// envelopeKinds returns keys and headers.
func envelopeKinds() []Kind {
	around := func(name string, full int, change func(b *recordBuilder, n int)) Kind {
		return Kind{name, full, func(b *recordBuilder, n int) {
			b.Interaction.Answer = "The lifetime warranty covers theft and accidental damage everywhere [1]."
			b.source("1", "Standard parcels leave the Rotterdam warehouse within two working days.")
			change(b, n)
		}}
	}
	header := func(b *recordBuilder, key, value string) { b.Headers = append(b.Headers, Header{key, []byte(value)}) }
	return []Kind{
		around("no key", 100, func(b *recordBuilder, _ int) { b.Key = nil }),
		around("empty key", 100, func(b *recordBuilder, _ int) { b.Key = []byte{} }),
		around("long key", 450<<10, func(b *recordBuilder, n int) { b.Key = []byte(strings.Repeat("k", n)) }),
		around("key of controls", 10_000, func(b *recordBuilder, n int) { b.Key = []byte(strings.Repeat("\x00\x1b\xff\n", n/4)) }),
		around("10,000 headers", 10_000, func(b *recordBuilder, n int) {
			for i := range n {
				header(b, fmt.Sprint("h", i), "v")
			}
		}),
		around("one header again and again", 10_000, func(b *recordBuilder, n int) {
			for range n {
				header(b, "confab-origin", "x")
			}
		}),
		around("long header", 450<<10, func(b *recordBuilder, n int) { header(b, "traceparent", strings.Repeat("0", n)) }),
		around("header of controls", 10_000, func(b *recordBuilder, n int) {
			header(b, "{\"level\":\"error\"}\n\x1b[2J", strings.Repeat("\r\n\x1b", n/3))
		}),
	}
}
