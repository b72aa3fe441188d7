package hostile

import (
	"strings"

	"confab/schemas"
)

// promptKinds returns interactions without sources whose messages may or may not hold some.
func promptKinds() []Kind {
	of := func(name, role, unit string) Kind {
		return Kind{"prompt: " + name, ValueCap / 4, func(b *recordBuilder, n int) {
			b.Interaction.Answer = "The bridge over the river opened in May 1937 [1]."
			b.Interaction.Messages = []schemas.Message{{Role: role, Content: repeatToSize(unit, n)}, {Role: "user", Content: "When?"}}
		}}
	}
	return []Kind{
		of("tags never closed", "user", "<doc>\n"),
		of("tags in tags", "user", "<documents><document id=1>"),
		of("tags closed", "user", "<doc>the bridge opened in 1937</doc>\n"),
		of("tags never opened", "user", "</document></doc>\n"),
		of("attributes", "user", "<doc id id id id id id id=7>x</doc>\n"),
		of("examples", "user", "<example></example>\n<examples>"),
		of("fences", "user", "```\n<doc>\n``"),
		of("numbers", "user", "[1] a fact\n"),
		of("headers", "user", "Context:\nA fact.\n"),
		of("headers and answers", "user", "Context: a fact\nQuestion: why?\nAnswer: so\n"),
		of("delimiters", "user", "Context information is below.\n-----\nA fact.\n"),
		of("delimiters never closed", "user", "Use the following context.\n\"\"\" a\n<<<\n"),
		of("paragraphs", "system", "Use the following pieces of context to answer.\n\nA fact.\n\n"),
		of("blank lines", "system", "\n\n \n"),
		of("a long line", "user", "use the following context "),
		of("tool text", "tool", "A fact.\n\n"),
		of("tool objects", "tool", `{"results":[{"id":1,"text":"a \"fact\""}],"total":2} `),
		of("tool brackets", "tool", "["),
		{"prompt: tool list", ValueCap / 4, func(b *recordBuilder, n int) {
			b.Interaction.Answer = "It opened in 1937."
			list := "[" + strings.TrimSuffix(repeatToSize(`{"id":"7","metadata":{"a":[1,{}]},"text":"opened in 1937"},`, n), ",") + "]"
			b.Interaction.Messages = []schemas.Message{{Role: "user", Content: "When?"}, {Role: "tool", Content: list}}
		}},
		{"prompt: many messages", ValueCap / 4, func(b *recordBuilder, n int) {
			b.Interaction.Answer = "It opened in 1937."
			for i := 0; i < n/200 && i < 8000; i++ {
				b.Interaction.Messages = append(b.Interaction.Messages,
					schemas.Message{Role: "tool", Content: "opened in 1937"}, schemas.Message{Role: "user", Content: "Context: a\nQuestion: b"})
			}
		}},
		{"prompt: nested results", ValueCap / 4, func(b *recordBuilder, n int) {
			b.Interaction.Answer = "It opened in 1937."
			depth := min(n/20, 4000)
			b.Interaction.Messages = []schemas.Message{{Role: "tool", Content: strings.Repeat(`{"results":`, depth) + "[1]" + strings.Repeat("}", depth)}}
		}},
	}
}
