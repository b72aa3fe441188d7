package hostile

import (
	"fmt"
	"math"
	"strings"

	"confab/schemas"
)

func (b *builder) message(role, content string) {
	b.Interaction.Messages = append(b.Interaction.Messages, schemas.Message{Role: role, Content: content})
}

// plain is a record that any reader accepts, but for the member that the kind adds.
const plain = `{"answer":"The bridge opened in May 1937.","sources":["The bridge opened in 1937."],`

// raw is a kind whose value no encoder writes.
func raw(name, refused string, build func(b *builder, n int) string) Kind {
	return Kind{name, ValueCap - 20_000, func(b *builder, n int) { b.Raw, b.Refused = []byte(build(b, n)), refused }}
}

// valueKinds are records whose JSON is large in another way than by its text.
func valueKinds() []Kind {
	times := func(s string, n int) string { return strings.Repeat(s, n/len(s)) }
	return []Kind{
		raw("unknown members", "", func(_ *builder, n int) string {
			return plain + list(n, "", "}", func(i int) string { return fmt.Sprintf(`"u%d":0`, i) })
		}),
		raw("unknown lists", "", func(_ *builder, n int) string {
			return plain + `"u":` + list(n, "[", "]}", func(int) string { return "[[]]" })
		}),
		raw("unknown numbers", "", func(_ *builder, n int) string {
			return plain + `"u":` + list(n, "[", "]}", func(int) string { return "-1.5e-307" })
		}),
		raw("long number", "", func(_ *builder, n int) string { return plain + `"u":` + strings.Repeat("9", n) + "}" }),
		raw("blanks between members", "", func(_ *builder, n int) string { return plain + strings.Repeat(" \n\t\r", n/4) + `"u":0}` }),
		raw("escaped letters", "", func(_ *builder, n int) string { return `{"answer":"` + times(`\u0061`, n) + `"}` }),
		raw("escaped line breaks", "", func(_ *builder, n int) string { return `{"answer":"` + times(`\n`, n) + `"}` }),
		raw("escaped controls", "", func(_ *builder, n int) string { return `{"answer":"` + times(`\u0000\u001b`, n) + `"}` }),
		raw("surrogate pairs", "", func(_ *builder, n int) string { return `{"answer":"` + times(`\ud83d\ude00`, n) + `"}` }),
		raw("lone surrogates", "", func(_ *builder, n int) string { return `{"answer":"` + times(`\ud800`, n) + `"}` }),
		raw("270,000 ligatures", "", func(_ *builder, n int) string { return `{"answer":"` + times("\ufdfa", n) + `"}` }),
		raw("content in parts", "", func(_ *builder, n int) string {
			return plain + `"messages":[{"role":"user","content":` +
				list(n, "[", "]}]}", func(int) string { return `{"text":"` + strings.Repeat("a", n/7000) + `"}` })
		}),
		raw("sources by id", "", func(_ *builder, n int) string {
			return `{"answer":"It is [1].","sources":` + list(min(n, 80_000), "{", "}}", func(i int) string { return fmt.Sprintf(`"s%d":"t"`, i) })
		}),
		raw("attributes of numbers", "", func(_ *builder, n int) string {
			number := strings.Repeat("7", n/1200)
			return plain + `"attributes":` + list(n*4/5, "{", "}}", func(i int) string { return fmt.Sprintf(`"a%d":%s`, i, number) })
		}),
		raw("members in another order", "", func(b *builder, n int) string {
			return `{"unknown":{"answer":"no"},"sources":` + list(min(n, 80_000), "[", "]", func(int) string { return `{"text":"a","x":[{}]}` }) + `,"answer":"yes"}`
		}),
	}
}

// fieldKinds are records with one field at its limit.
func fieldKinds() []Kind {
	return []Kind{
		{"messages", ValueCap - 20_000, func(b *builder, n int) {
			b.Interaction.Answer = "It opened in May 1937."
			for range 8000 {
				b.message("user", fill(max(0, n/8000-40), func() string { return claim(b.Rand) }))
			}
		}},
		{"one long message", ValueCap - 20_000, func(b *builder, n int) {
			b.Interaction.Answer = "It opened in May 1937."
			b.message("user", fill(n, func() string { return claim(b.Rand) }))
		}},
		{"attributes", ValueCap - 20_000, func(b *builder, n int) {
			b.Interaction.Answer, b.Interaction.Attributes = "It opened in May 1937.", map[string]string{}
			for i := range 1000 {
				b.Interaction.Attributes[fmt.Sprint("a", i)] = strings.Repeat("v", n/1100)
			}
		}},
		{"control characters in the tenant", 10_000, func(b *builder, n int) {
			b.Interaction.Answer = fill(n, func() string { return claim(b.Rand) })
			b.Interaction.Tenant = strings.Repeat("a\x1b[31m\r\n\u202e\x00", n/40)
		}},
		{"extreme temperature", 10_000, func(b *builder, n int) {
			b.Interaction.Answer = fill(n, func() string { return claim(b.Rand) })
			b.Interaction.Temperature = math.MaxFloat64
		}},
		raw("year 1", "", func(_ *builder, n int) string { return plain + `"occurred_at":"0001-01-01T00:00:00Z"}` }),
		raw("milliseconds of year 9999", "", func(_ *builder, n int) string { return plain + `"occurred_at":253402300799999}` }),
		raw("empty answer", "", func(_ *builder, n int) string {
			return `{"answer":"","sources":["` + fill(n, func() string { return "a " }) + `"]}`
		}),
	}
}

// refusedKinds are values that the decoder refuses.
func refusedKinds() []Kind {
	filler := func(n int) string { return `"x":"` + strings.Repeat("a", n) + `",` }
	bad := func(name, reason, member string) Kind {
		return raw(name, reason, func(_ *builder, n int) string { return plain + filler(n) + member + "}" })
	}
	return []Kind{
		raw("deep value", "too_deep", func(_ *builder, n int) string { return strings.Repeat(`{"a":`, n/5) }),
		raw("deep lists", "too_deep", func(_ *builder, n int) string { return plain + `"x":` + strings.Repeat("[", n) }),
		raw("not JSON", "syntax", func(b *builder, n int) string { return fill(n, func() string { return claim(b.Rand) }) }),
		raw("open value", "syntax", func(_ *builder, n int) string { return plain + strings.TrimSuffix(filler(n), `",`) }),
		raw("two values", "trailing_bytes", func(_ *builder, n int) string { return plain + filler(n) + `"y":0} {}` }),
		raw("empty value", "syntax", func(*builder, int) string { return "" }),
		raw("nul bytes", "syntax", func(_ *builder, n int) string { return strings.Repeat("\x00", n) }),
		raw("not UTF-8", "bad_utf8", func(_ *builder, n int) string { return plain + `"x":"` + strings.Repeat("a", n) + "\xff\"}" }),
		raw("overlong UTF-8", "bad_utf8", func(_ *builder, n int) string { return plain + `"x":"` + strings.Repeat("a", n) + "\xc0\xaf\"}" }),
		raw("raw control character", "control_character", func(_ *builder, n int) string { return plain + `"x":"` + strings.Repeat("a", n) + "\n\"}" }),
		raw("members named twice", "duplicate_key", func(_ *builder, n int) string {
			return plain + list(n, "", `,"u0":1}`, func(i int) string { return fmt.Sprintf(`"u%d":0`, i) })
		}),
		bad("tenant in another case", "case_variant", `"TENANT":"other"`),
		raw("no answer", "missing_answer", func(_ *builder, n int) string { return `{` + filler(n) + `"y":0}` }),
		bad("answer of null", "duplicate_key", `"answer":null`),
		bad("wrong type", "wrong_type", `"tags":17`),
		bad("temperature of 1e400", "out_of_range", `"temperature":1e400`),
		bad("year 292277026596", "out_of_range", `"occurred_at":"+292277026596-12-04T15:30:07Z"`),
		bad("milliseconds beyond int64", "out_of_range", `"occurred_at":9223372036854775808`),
		bad("packed log-probabilities cut short", "bad_logprobs", `"token_logprobs":"AACAvw==","top_k":4`),
		raw("9,000 messages", "too_many", func(*builder, int) string {
			return plain + `"messages":` + list(9000*15, "[", "]}", func(int) string { return `{"content":""}` })
		}),
		raw("9,000 sources", "too_many", func(*builder, int) string {
			return `{"answer":"a","sources":` + list(9000*4, "[", "]}", func(int) string { return `"s"` })
		}),
		raw("2,000 tags", "too_many", func(*builder, int) string {
			return plain + `"tags":` + list(8000, "[", "]}", func(int) string { return `"t"` })
		}),
	}
}

// envelopeKinds are keys and headers.
func envelopeKinds() []Kind {
	around := func(name string, full int, dress func(b *builder, n int)) Kind {
		return Kind{name, full, func(b *builder, n int) {
			b.Interaction.Answer = "The lifetime warranty covers theft and accidental damage everywhere [1]."
			b.source("1", "Standard parcels leave the Rotterdam warehouse within two working days.")
			dress(b, n)
		}}
	}
	header := func(b *builder, key, value string) { b.Headers = append(b.Headers, Header{key, []byte(value)}) }
	return []Kind{
		around("no key", 100, func(b *builder, _ int) { b.Key = nil }),
		around("empty key", 100, func(b *builder, _ int) { b.Key = []byte{} }),
		around("long key", 450<<10, func(b *builder, n int) { b.Key = []byte(strings.Repeat("k", n)) }),
		around("key of controls", 10_000, func(b *builder, n int) { b.Key = []byte(strings.Repeat("\x00\x1b\xff\n", n/4)) }),
		around("10,000 headers", 10_000, func(b *builder, n int) {
			for i := range n {
				header(b, fmt.Sprint("h", i), "v")
			}
		}),
		around("one header again and again", 10_000, func(b *builder, n int) {
			for range n {
				header(b, "confab-origin", "x")
			}
		}),
		around("long header", 450<<10, func(b *builder, n int) { header(b, "traceparent", strings.Repeat("0", n)) }),
		around("header of controls", 10_000, func(b *builder, n int) {
			header(b, "{\"level\":\"error\"}\n\x1b[2J", strings.Repeat("\r\n\x1b", n/3))
		}),
	}
}
