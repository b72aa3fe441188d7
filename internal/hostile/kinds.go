package hostile

import (
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"confab/schemas"
)

// claims is n bytes of claims.
func (b *builder) claims(n int) string { return b.repeat("«.Claim». ", n) }

// sourceKinds returns answers with many, long or structured sources.
func sourceKinds() []Kind {
	many := func(name, answer, source string, count int, id func(i int) string) Kind {
		return Kind{name, TextCap, func(b *builder, n int) {
			b.Interaction.Answer = b.repeat(answer, n/4)
			for i := range count {
				b.source(id(i), b.repeat(source, n*3/4/count))
			}
		}}
	}
	serial := func(i int) string { return strconv.Itoa(i + 1) }
	one := func(name, answer, source string) Kind {
		return Kind{name, TextCap, func(b *builder, n int) {
			b.Interaction.Answer = b.repeat(answer, n/4)
			b.source("1", b.text(source, n*3/4))
		}}
	}
	ids := func(name, unit string) Kind {
		return Kind{name, 4000, func(b *builder, n int) { // short sources, and markers that are each looked up among their ids
			b.Interaction.Answer = b.repeat(unit, n)
			for i := range n {
				b.source("source-"+strconv.Itoa(i), "A fact.")
			}
		}}
	}
	return []Kind{
		many("claims with 50 sources", "«.Claim». ", "«.Claim». ", 50, serial),
		many("claims of common words", "The bridge of the river was old. ", `«.Pick "the bridge " "of the river " "opened " "in May 1937 " "and "»`, 50, serial),
		many("8,000 sources", "It opened [«.Int 1 8000»]. ", "«.Claim». ", 8000, serial),
		many("8,000 sources of one id", "It opened [1]. ", "«.Claim». ", 8000, func(int) string { return "1" }),
		many("nested records as sources", "The hours are Monday 9:00 to 17:00. ", strings.Repeat(`{"hours":[`, 400)+`"Monday: 9:0-17:0"`+strings.Repeat("]}", 400), 20, serial),
		one("record as source", "«.Claim». ", `{«.Sized 1 "\"red%d\":\"The count of parcels was 7 in May 1937.\""»}`),
		one("hours as source", "It opens Monday to Sunday from 9:00 am to 5:00 pm. ", `{"hours":{«.Sized 1 "\"Monday%d\":\"9:0-17:30\""»}}`),
		one("dates in two cells", "The first took «.Int 0 900» weeks. ", `{"first":"«.Repeat "2026-01-05 " 22»","last":"«.Repeat "2026-01-05 " 22»"}`),
		one("dates in cells", "The first took «.Int 0 900» weeks. ", `[«.Sized 1 "{\"first\":\"2026-01-05 2026-01-06\",\"last\":\"2026-01-05 2026-01-06\"}"»]`),
		one("rows of a table", "The count of red is «.Int 0 900». ", "name,count,state\n«.Serial 1 \"red%d,%d,open\\n\" 900»"),
		ids("source ids", "A fact [7][x]. "),
		ids("wide ranges", "A fact [1-999999999]. "),
		{"one claim, cited", TextCap, func(b *builder, n int) { // a thousand times; all of its words are in all sources
			b.Interaction.Answer = strings.Repeat("[1][2][3][4]", max(1, min(n/2, 1000)/12)) + " " + b.text(`«.Serial 1 "w%d x%d " 700»`, n/2)
			b.split(b.text(`«.Serial 1 "w%d x%d. " 700»`, n/2))
		}},
		{"fragments of a record", TextCap, func(b *builder, n int) { // short sentences, each compared with many fields
			b.Interaction.Answer = "The red bridge is open today. " + strings.Repeat("Red bridge: no.\n", max(1, n/32))
			b.source("1", b.text(`{«.Sized 1 "\"red bridge %d\": false"»}`, min(max(n/8, 100), 9000)))
		}},
		{"address within sources", TextCap, func(b *builder, n int) { // its prefix is everywhere in them, the address nowhere
			b.Interaction.Answer = "See http://" + strings.Repeat("a", n/4) + "b "
			b.split(strings.Repeat("a", n/2))
			b.message("user", strings.Repeat("a", min(n/2, 256<<10)))
		}},
	}
}

// longKinds returns long sources, questions and ids.
func longKinds() []Kind {
	return []Kind{
		{"answer equals source", TextCap, func(b *builder, n int) {
			b.Interaction.Answer = b.claims(n / 2)
			b.split(b.Interaction.Answer)
		}},
		{"prompt of claims", TextCap, func(b *builder, n int) {
			b.Interaction.Answer = b.claims(n / 2)
			b.message("user", b.claims(n/2))
		}},
		{"sources of long ids", ValueCap - 20_000, func(b *builder, n int) {
			b.Interaction.Answer = b.Claim() + " [" + strings.Repeat("d", 1000) + "1]."
			for i := range 40 {
				b.source(strings.Repeat("d", n/40)+strconv.Itoa(i), b.Claim())
			}
		}},
		{"one source above all caps", ValueCap - 20_000, func(b *builder, n int) {
			b.Interaction.Answer = b.claims(min(n, 5000))
			b.source("1", b.claims(n))
		}},
	}
}

// flagKinds returns answers on which many rules fire at once, with the maximum of text to quote or to copy.
func flagKinds() []Kind {
	unsupported := func(b *builder, n int) {
		b.Interaction.Answer = b.repeat("«.Claim» [«.Int 1 50»]. pip install «.Word»-«.Word». See https://«.Word».example.invalid/«.Word» and 10.9999/«.Word». ", n*3/4)
		b.Interaction.ResponseSchema = `{"type":"object","required":["a","b"]}`
		for i := range 20 {
			b.source(strconv.Itoa(i+1), b.repeat("Standard parcels leave the Rotterdam warehouse within 2 days. ", n/80))
		}
	}
	copied := func(name string, change func(in *schemas.Interaction, n int)) Kind {
		return Kind{name, ValueCap - 20_000, func(b *builder, n int) {
			unsupported(b, 20_000)
			change(&b.Interaction, n)
		}}
	}
	return []Kind{
		{"everything fires", TextCap, unsupported},
		{"everything fires on secrets", TextCap, func(b *builder, n int) {
			unsupported(b, n)
			b.Interaction.Answer = truncate(strings.ReplaceAll(b.Interaction.Answer, "The ", "The jane.doe@mail.example 4111 1111 1111 1111 "), n)
		}},
		{"everything fires and tokens are unsure", TextCap, func(b *builder, n int) {
			unsupported(b, n/2)
			b.rows(n/40, 4, func() float32 { return float32(-5 * b.Float64()) })
		}},
		copied("long names in the flag", func(in *schemas.Interaction, n int) {
			for _, field := range []*string{&in.Service, &in.Model, &in.Provider, &in.ConversationID, &in.ID} {
				*field = strings.Repeat("é", n/12)
			}
		}),
		copied("long tags in the flag", func(in *schemas.Interaction, n int) {
			in.Tags = slices.Repeat([]string{strings.Repeat("t", n/1200)}, 1000)
		}),
		copied("long source ids in the flag", func(in *schemas.Interaction, n int) {
			for i := range in.Sources {
				in.Sources[i].ID = strings.Repeat("s", n/30) + strconv.Itoa(i)
			}
		}),
	}
}

// rows sets the log-probabilities of the record.
func (b *builder) rows(n, topK int, value func() float32) {
	l := schemas.Logprobs{TopK: topK}
	for range n * (1 + topK) {
		l.Values = append(l.Values, value())
	}
	b.Interaction.Logprobs = l
}

// logprobKinds returns records with hundreds of thousands of log-probabilities.
func logprobKinds() []Kind {
	rows := func(name string, topK int, value func(b *builder) float32) Kind {
		return Kind{name, ValueCap - 20_000, func(b *builder, n int) {
			b.Interaction.Answer = b.claims(min(n/8, 100_000))
			b.rows(n*3/5/(4*(1+topK)), topK, func() float32 { return value(b) })
		}}
	}
	constant := func(v float64) func(*builder) float32 { return func(*builder) float32 { return float32(v) } }
	random := func(b *builder) float32 { return float32(-10 * b.Float64()) }
	return []Kind{
		rows("packed log-probabilities", 0, random),
		rows("packed alternatives", 20, random),
		rows("missing log-probabilities", 4, constant(math.NaN())),
		rows("infinite log-probabilities", 4, constant(math.Inf(-1))),
		rows("subnormal log-probabilities", 4, constant(-math.SmallestNonzeroFloat32)),
		rows("equal log-probabilities", 4, constant(-1)),
		{"ranked log-probabilities", 8192, func(b *builder, n int) { // n tokens
			b.Interaction.Answer = "The bridge is old and it is red."
			i := 0
			b.rows(n, 20, func() float32 { i++; return -float32(i%97) / 10 })
		}},
	}
}

// fieldKinds returns records with one field, the key or a header at its limit.
func fieldKinds() []Kind {
	with := func(name string, full int, change func(b *builder, n int)) Kind {
		return Kind{name, full, func(b *builder, n int) {
			b.Interaction.Answer = "Express parcels cost 30 euros [9]."
			b.source("1", "Express parcels cost 14 euros.")
			change(b, n)
		}}
	}
	header := func(b *builder, key, value string) { b.Headers = append(b.Headers, Header{key, []byte(value)}) }
	return []Kind{
		with("messages", ValueCap-20_000, func(b *builder, n int) {
			b.Interaction.Messages = slices.Repeat([]schemas.Message{{Role: "user", Content: b.claims(88)}}, n/128)
		}),
		with("short messages", 8000, func(b *builder, n int) { // the maximum that is read
			b.Interaction.Answer = b.text(`«.Serial 1 "See http://a%d.example%d.org/. " 1000000000»`, 4000)
			b.Interaction.Messages = slices.Repeat([]schemas.Message{{Role: "user", Content: "x"}}, min(n, 8000))
		}),
		with("one long message", ValueCap-20_000, func(b *builder, n int) { b.message("user", b.claims(n)) }),
		with("prompt: many messages", ValueCap/4, func(b *builder, n int) {
			b.Interaction.Sources = nil
			for i := 0; i < n/200 && i < 8000; i++ {
				b.message("tool", "opened in 1937")
				b.message("user", "Context: a\nQuestion: b")
			}
		}),
		with("attributes", ValueCap-20_000, func(b *builder, n int) {
			b.Interaction.Attributes = map[string]string{}
			for i := range 1000 {
				b.Interaction.Attributes[fmt.Sprint("a", i)] = strings.Repeat("v", n/1100)
			}
		}),
		with("control characters in the tenant", 10_000, func(b *builder, n int) { b.Interaction.Tenant = strings.Repeat("a\x1b[31m\r\n\u202e\x00", n/40) }),
		with("extreme temperature", 10_000, func(b *builder, _ int) { b.Interaction.Temperature = math.MaxFloat64 }),
		with("empty key", 100, func(b *builder, _ int) { b.Key = []byte{} }),
		with("long key", 450<<10, func(b *builder, n int) { b.Key = []byte(strings.Repeat("k", n)) }),
		with("key of controls", 10_000, func(b *builder, n int) { b.Key = []byte(strings.Repeat("\x00\x1b\xff\n", n/4)) }),
		with("10,000 headers", 10_000, func(b *builder, n int) {
			for i := range n {
				header(b, fmt.Sprint("h", i), "v")
			}
		}),
		with("one header again and again", 10_000, func(b *builder, n int) {
			for range n {
				header(b, "confab-origin", "x")
			}
		}),
		with("long header", 450<<10, func(b *builder, n int) { header(b, "traceparent", strings.Repeat("0", n)) }),
		with("header of controls", 10_000, func(b *builder, n int) { header(b, "{\"level\":\"error\"}\n\x1b[2J", strings.Repeat("\r\n\x1b", n/3)) }),
	}
}
