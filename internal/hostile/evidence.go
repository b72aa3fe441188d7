package hostile

import (
	"fmt"
	"math"
	"strconv"
	"strings"

	"confab/schemas"
)

// evidenceKinds returns answers on which many rules fire at once, with the maximum of text to quote.
func evidenceKinds() []Kind {
	unsupported := func(b *recordBuilder, n int) {
		b.Interaction.Answer = fillText(n*3/4, func() string {
			return fmt.Sprintf("%s [%d]. pip install %s-%s. See https://%s.example.invalid/%s and 10.9999/%s. ",
				strings.TrimSuffix(randomClaim(b.Rand), ". "), 1+b.IntN(50), randomWord(b.Rand), randomWord(b.Rand), randomWord(b.Rand), randomWord(b.Rand), randomWord(b.Rand))
		})
		b.Interaction.ResponseSchema = `{"type":"object","required":["a","b"]}`
		for i := range 20 {
			b.source(strconv.Itoa(i+1), fillText(n/80, func() string { return "Standard parcels leave the Rotterdam warehouse within 2 days. " }))
		}
	}
	return []Kind{
		{"everything fires", TextCap, unsupported},
		{"everything fires on secrets", TextCap, func(b *recordBuilder, n int) {
			unsupported(b, n)
			b.Interaction.Answer = strings.ReplaceAll(b.Interaction.Answer, "The ", "The jane.doe@mail.example 4111 1111 1111 1111 ")
			b.Interaction.Answer = truncateText(b.Interaction.Answer, n)
		}},
		{"everything fires and tokens are unsure", TextCap, func(b *recordBuilder, n int) {
			unsupported(b, n/2)
			b.rows(n/40, 4, func() float32 { return float32(-5 * b.Float64()) })
		}},
		{"every excerpt is long", TextCap, func(b *recordBuilder, n int) {
			b.place(n, func(n int) string {
				return fillText(n, func() string { return "The " + strings.Repeat("ungrounded ", 400) + "bridge opened in 1937 [1]. " })
			})
		}},
		{"every excerpt is marks", TextCap, func(b *recordBuilder, n int) {
			b.place(n, func(n int) string {
				return fillText(n, func() string { return "The bri" + strings.Repeat("\u0301", 300) + "dge opened in 1937 [1]. " })
			})
		}},
		{"long names in the flag", ValueCap - 20_000, func(b *recordBuilder, n int) {
			unsupported(b, 20_000)
			in := &b.Interaction
			for _, field := range []*string{&in.Service, &in.Model, &in.Provider, &in.ConversationID, &in.ID} {
				*field = strings.Repeat("é", n/12)
			}
		}},
		{"long tags in the flag", ValueCap - 20_000, func(b *recordBuilder, n int) {
			unsupported(b, 20_000)
			for range 1000 {
				b.Interaction.Tags = append(b.Interaction.Tags, strings.Repeat("t", n/1200))
			}
		}},
		{"long source ids in the flag", ValueCap - 20_000, func(b *recordBuilder, n int) {
			unsupported(b, 20_000)
			for i := range b.Interaction.Sources {
				b.Interaction.Sources[i].ID = strings.Repeat("s", n/30) + strconv.Itoa(i)
			}
		}},
	}
}

// rows sets the log-probabilities of the record.
func (b *recordBuilder) rows(n, topK int, value func() float32) {
	l := schemas.Logprobs{TopK: topK}
	for range n * (1 + topK) {
		l.Values = append(l.Values, value())
	}
	b.Interaction.Logprobs = l
}

// logprobKinds returns records with hundreds of thousands of log-probabilities.
func logprobKinds() []Kind {
	rows := func(name string, topK int, value func(b *recordBuilder) float32) Kind {
		return Kind{name, ValueCap - 20_000, func(b *recordBuilder, n int) {
			b.Interaction.Answer = fillText(min(n/8, 100_000), func() string { return randomClaim(b.Rand) })
			b.rows(n*3/5/(4*(1+topK)), topK, func() float32 { return value(b) })
		}}
	}
	entry := func(name, tokens string, element func(b *recordBuilder, i int) string) Kind {
		return Kind{name, ValueCap - 20_000, func(b *recordBuilder, n int) {
			b.Raw = []byte(`{"answer":"` + strings.Repeat("a", n/60) + `","logprobs":` +
				delimitedList(n*9/10, `{"`+tokens+`":[`, "]}", func(i int) string { return element(b, i) }) + "}")
		}}
	}
	return []Kind{
		rows("packed log-probabilities", 0, func(b *recordBuilder) float32 { return float32(-10 * b.Float64()) }),
		rows("packed alternatives", 20, func(b *recordBuilder) float32 { return float32(-10 * b.Float64()) }),
		rows("missing log-probabilities", 4, func(*recordBuilder) float32 { return float32(math.NaN()) }),
		rows("infinite log-probabilities", 4, func(*recordBuilder) float32 { return float32(math.Inf(-1)) }),
		rows("subnormal log-probabilities", 4, func(*recordBuilder) float32 { return -math.SmallestNonzeroFloat32 }),
		rows("equal log-probabilities", 4, func(*recordBuilder) float32 { return -1 }),
		entry("tokens", "content", func(*recordBuilder, int) string { return `{"token":"a","logprob":-0.5}` }),
		entry("tokens without a value", "content", func(*recordBuilder, int) string { return `{"token":"a","logprob":null}` }),
		entry("tokens with alternatives", "content", func(b *recordBuilder, _ int) string {
			return `{"token":"a","logprob":-0.5,"top_logprobs":[` + strings.Repeat(`{"token":"b","logprob":-1.25},`, 19) + `{"logprob":-9}]}`
		}),
		entry("tokens as bytes", "content", func(*recordBuilder, int) string { return `{"token":"","bytes":[97],"logprob":-1e-300}` }),
		entry("tokens of 1e308", "content", func(*recordBuilder, int) string { return `{"token":"a","logprob":-1e308}` }),
	}
}
