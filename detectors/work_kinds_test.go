package detectors

import (
	"fmt"
	"slices"
	"strings"

	"confab/schemas"
)

// hostileKind makes interactions of a size that are as costly as their kind can be.
type hostileKind struct {
	name string
	cap  int // the size at which limits begin to cut
	make func(n int) *schemas.Interaction

	quadratic bool // within the caps: what each claim, marker or address is held against grows too
}

// textCap is a size of text that is within the caps.
const textCap = MaxTextBytes / 2

// hostileKinds are generators of what a producer may write to make an evaluation slow.
func hostileKinds() []hostileKind {
	kinds := []hostileKind{
		{name: "pairs", cap: textCap, make: hostilePairs},
		{name: "one claim", cap: textCap, make: func(n int) *schemas.Interaction {
			return sourcesOf(n, numbered("w%d x%d ", n, 700), numbered("w%d x%d. ", n, 700))
		}},
		{name: "one claim, cited", cap: textCap, make: hostileCitedClaim, quadratic: true},
		{name: "sentences, cited", cap: textCap, make: func(n int) *schemas.Interaction {
			return sourcesOf(n, repeated("The old red bridge was opened here [1][2][3][4][5][6]. ", n), numbered("The old red bridge %d was opened %d. ", n, 1<<30))
		}},
		{name: "source ids", cap: 4000, make: hostileIDs, quadratic: true},
		{name: "wide ranges", cap: 4000, make: func(n int) *schemas.Interaction {
			in := hostileIDs(n)
			in.Answer = repeated("A fact [1-999999999]. ", n)
			return in
		}},
		{name: "fragments of a record", cap: textCap, make: hostileRecord},
		{name: "figures", cap: textCap, make: func(n int) *schemas.Interaction {
			return sourcesOf(n, numbered("It cost %d dollars and %d euros then. ", n, 1<<30), numbered("It was %d kg on %d miles. ", n, 1<<30))
		}},
		{name: "dates", cap: textCap, make: func(n int) *schemas.Interaction {
			return sourcesOf(n, repeated("On May 3, 1937 at 5:30 pm it opened. ", n), repeated("On June 4, 1938 at 6:30 am it shut. ", n))
		}},
		{name: "names", cap: textCap, make: func(n int) *schemas.Interaction {
			return sourcesOf(n, numbered("we saw the Bridge%d of Xo%d there ", n, 1<<30), numbered("many Bridgt%dx in the Town%d. ", n, 1<<30))
		}},
		{name: "findings in one claim", cap: textCap, make: func(n int) *schemas.Interaction {
			return sourcesOf(n, numbered("with Aaaa%d and %d,", n, 1<<30), repeated("other words entirely. ", n))
		}},
		{name: "words and a secret", cap: textCap, make: func(n int) *schemas.Interaction {
			return sourcesOf(n, numbered("the Bridge%d of %dxo is there. ", n, 1<<30)+" mail ann.lee@example.org", repeated("other words entirely. ", n))
		}},
		{name: "partly secret names", cap: textCap, make: func(n int) *schemas.Interaction {
			return sourcesOf(n, numbered("we saw Ann%d there, write to ann%d@example.org. ", n, 1<<30), repeated("other words entirely. ", n))
		}},
		{name: "parentheses of an address", cap: textCap, make: func(n int) *schemas.Interaction {
			return plain("See http://a.example.org/" + repeated(")", n))
		}},
		{name: "identifiers", cap: textCap, make: func(n int) *schemas.Interaction {
			return plain(numbered("doi:10.%d/x%d ", min(n, 4000), 1<<30) + repeated("10.1234/", n))
		}},
		{name: "address within sources", cap: textCap, make: hostileAddress, quadratic: true},
		{name: "addresses", cap: textCap, make: func(n int) *schemas.Interaction {
			return sourcesOf(n, numbered("https://h%d.example%d.com/a/b ", n, 1<<30), repeated("https://example.com/ ", n))
		}},
		{name: "packages", cap: textCap, make: func(n int) *schemas.Interaction {
			return plain("```\n" + numbered("pip install reqests%d numpi%d\n", n, 1<<30) + "```\n")
		}},
		{name: "imports", cap: textCap, make: func(n int) *schemas.Interaction {
			return plain("```python\n" + numbered("import reqests%d, numpi%d\n", n, 1<<30) + "```\n")
		}},
		{name: "lines", cap: textCap, make: func(n int) *schemas.Interaction { return plain(repeated("\n-\n", n)) }},
		{name: "logprobs", cap: maxTokens, make: func(n int) *schemas.Interaction {
			in := plain("The bridge is old and it is red.")
			in.Logprobs = schemas.Logprobs{TopK: 20, Values: make([]float32, 21*n)}
			for i := range in.Logprobs.Values {
				in.Logprobs.Values[i] = -float32(i%97) / 10
			}
			return in
		}},
		{name: "messages", cap: 30_000, make: func(n int) *schemas.Interaction {
			in := plain(numbered("See http://a%d.example%d.org/. ", 4000, 1<<30))
			in.Messages = slices.Repeat([]schemas.Message{{Role: "user", Content: "x"}}, n)
			return in
		}},
	}
	for name, unit := range map[string]string{
		"sentences": "It is so. ", "claims": "The bridge is old and it is red. ", "one word": "x", "letters": "a b c d e f g h ",
		"stops": ".", "marks": "a\u0301\u0301", "ideographs": "桥于五月开放。", "hangul": "다리는 오월에 열렸습니다. ", "thai": "สะพานเปิด ",
		"markers": "[1]", "footnotes": "[^1] ", "lenticular": "【1†a】", "named sources": "(source: doc-1) ", "open brackets": "[", "ticks": "` ",
		"quotes": "\"'", "german": "Die Brücke wurde im Mai eröffnet und steht. ", "accents": "éàü ", "abbreviations": "e.g. U.S. Dr. ",
		"clock": "9 am to 5 pm, Monday to Friday ", "dots of a host": "a.b.", "mail": "a@b.co ", "slashes": "a/b/", "emoji": "👍🏽 ",
		"questions": "Is it so? ", "code": "`x` ", "tables": "| a | b |\n", "capitals": "A B C D ", "spaces": " ", "line feeds": "\n",
		"no-break spaces": "\u00a0", "zero width": "\u200b", "wide spaces": "\u3000", "tabs": "\t", "combining": "\u0301", "negations": "not never no ",
		"secrets": "password=abc12345x ", "cards": "4111 1111 1111 1111 ", "phones": "call +49 30 1234567 ", "keys": "the Key AKIAIOSFODNN7EXAMPLE is red. ",
		"base 62": "aB3dE6gH9kL2nO5qR8tU1wX4z ", "colons": "://a:b", "IBANs": "DE89 3704 0044 0532 0130 00 ",
	} {
		kinds = append(kinds, hostileKind{name: name, cap: textCap, make: func(n int) *schemas.Interaction {
			return sourcesOf(n, "The bridge "+repeated(unit, n), repeated(unit, n))
		}})
	}
	return kinds
}

// repeated is about n bytes of the unit.
func repeated(unit string, n int) string { return strings.Repeat(unit, max(1, n/len(unit))) }

// numbered is about n bytes of the unit with numbers below mod in place of its two verbs.
func numbered(unit string, n, mod int) string {
	var b strings.Builder
	for i := 0; b.Len() < n; i++ {
		fmt.Fprintf(&b, unit, i%mod, (i+7)%mod)
	}
	return b.String()
}

func plain(answer string) *schemas.Interaction {
	return &schemas.Interaction{Answer: answer, Model: "m", Operation: "o"}
}

// sourcesOf spreads n bytes of text over sources.
func sourcesOf(n int, answer, text string) *schemas.Interaction {
	in := plain(answer)
	for i := 0; len(text) > 0 && i < n; i++ {
		head := text[:min(len(text), MaxSourceBytes)]
		for len(head) < len(text) && text[len(head)]&0xC0 == 0x80 {
			head = text[:len(head)-1]
		}
		in.Sources = append(in.Sources, schemas.Source{ID: fmt.Sprintf("doc-%d", i+1), Text: head})
		text = text[len(head):]
	}
	return in
}

// hostilePairs: every claim shares its words with every sentence of the sources.
func hostilePairs(n int) *schemas.Interaction {
	words := numbered("alpha%d beta%d ", 1000, 64)
	claim := "The " + words + "bridge opened. "
	return sourcesOf(n, repeated(claim, n), numbered("Alpha%d beta%d. ", n, 64))
}

// hostileCitedClaim: one claim with a thousand citations, all of whose words stand in all sources.
func hostileCitedClaim(n int) *schemas.Interaction {
	in := sourcesOf(n, numbered("w%d x%d ", n, 700), numbered("w%d x%d. ", n, 700))
	in.Answer = repeated("[1][2][3][4]", min(n, 2*MaxCitations)) + " " + in.Answer
	return in
}

// hostileIDs: each marker is looked up among as many sources.
func hostileIDs(n int) *schemas.Interaction {
	in := plain(repeated("A fact [7][x]. ", n))
	for i := range n {
		in.Sources = append(in.Sources, schemas.Source{ID: fmt.Sprintf("source-%d", i), Text: "A fact."})
	}
	return in
}

// hostileRecord: each of many short sentences is held against each of many fields.
func hostileRecord(n int) *schemas.Interaction {
	var b strings.Builder
	b.WriteString("{")
	for i := range maxFields {
		fmt.Fprintf(&b, "%q: false, ", fmt.Sprintf("red bridge %c%c", 'a'+i%26, 'a'+i/26))
	}
	b.WriteString("}")
	in := plain("The red bridge is open today. " + repeated("Red bridge: no.\n", n))
	in.Sources = []schemas.Source{{ID: "1", Text: b.String()[:min(b.Len(), max(n/4, 100))]}}
	return in
}

// hostileAddress: an address that begins everywhere in the context and stands nowhere in it.
func hostileAddress(n int) *schemas.Interaction {
	in := sourcesOf(n, "See http://"+repeated("a", n/2)+"b ", repeated("a", n))
	in.Messages = []schemas.Message{{Role: "user", Content: repeated("a", min(n, maxContextBytes))}}
	return in
}
