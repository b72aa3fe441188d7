package technical

import (
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/stretchr/testify/require"

	"confab/detectors"
	"confab/detectors/detectortest"
	"confab/schemas"
)

// linkedAnswer has many mentions, all of them known.
func linkedAnswer() *schemas.Interaction {
	return &schemas.Interaction{
		Answer: "Write to help@acme.io, or see [the manual](https://docs.acme.io/manual) and https://www.acme.io/help/start.\n" +
			"It follows doi:10.1038/nature14539 and arXiv:1706.03762.\n" +
			bashBlock("pip install -U 'requests[socks]>=2' numpy\nnpm i @types/node react\ngo get golang.org/x/net/html") +
			fenced("python", "import os, sys\nfrom PIL import Image\nimport numpy as np") + "\n" +
			fenced("ts", "import fs from 'node:fs';\nimport { get } from 'lodash/get';") + "\n" +
			fenced("go", "import (\n\t\"fmt\"\n\t\"github.com/stretchr/testify/require\"\n)") + "\n" +
			fenced("rust", "use std::fmt;\nuse serde::Serialize;"),
		Messages: []schemas.Message{{Role: "user", Content: "What does https://acme.io/help/start say? I wrote to help@acme.io."}},
		Sources: []schemas.Source{
			{Text: "The manual is at https://docs.acme.io/manual.", URI: "https://kb.acme.io/1"},
			{Text: "It follows doi:10.1038/nature14539 and arXiv:1706.03762."},
		},
	}
}

func TestTechnicalReadsAllMentions(t *testing.T) {
	for name, indexed := range map[string]bool{"indexed": true, "not indexed": false} {
		t.Run(name, func(t *testing.T) {
			var doc detectors.Document
			doc.Reset(linkedAnswer())
			f, err := technicalDetector(t, indexed).Detect(t.Context(), &doc)
			require.NoError(t, err)
			require.Zero(t, f.Score, "%+v", f)
			require.Equal(t, []float64{3, 2, 5, 10}, []float64{f.Measures[0].Value, f.Measures[1].Value, f.Measures[2].Value, f.Measures[3].Value})
		})
	}
}

// FuzzTechnical requires the detector's contract for any texts: no panic, valid scores, spans within the answer.
func FuzzTechnical(f *testing.F) {
	for _, seed := range []string{
		linkedAnswer().Answer, "https://[::1", "https://@:@/", "www.", "www..", "x@y.zz@", "doi:10.", "arXiv:v", "arXiv:a/", "10.1234/(",
		"```\npip install \\\n\\\n```", "`pip install ", "npm i @ @/ @a/ / .", "go get . x /", "```js\nimport ''\nrequire(\"", "```go\nimport (\n\"\"\n",
		"```rust\nuse ;use ::;\nextern crate ", "```python\nimport ,,\nfrom  import \n>>> ", "https://xn--a.xn--b", "http://\u3002", "npx ", "```````",
	} {
		f.Add(seed, "see https://acme.io", "pip install x")
	}
	list := []detectors.Detector{technicalDetector(f, true), technicalDetector(f, false)}
	f.Fuzz(func(t *testing.T, answer, source, prompt string) {
		if !utf8.ValidString(answer) || !utf8.ValidString(source) || !utf8.ValidString(prompt) {
			t.Skip("the decoder rejects bytes that are not UTF-8")
		}
		in := &schemas.Interaction{
			Answer: answer, Sources: []schemas.Source{{Text: source, URI: prompt}},
			Messages: []schemas.Message{{Role: "user", Content: prompt}},
		}
		var doc detectors.Document
		for _, d := range list {
			doc.Reset(in)
			finding, err := d.Detect(t.Context(), &doc)
			require.NoError(t, err)
			detectortest.RequireContract(t, "technical", in, &finding)
		}
	})
}

// BenchmarkTechnical measures a plain answer, one with many mentions, and a hostile one.
func BenchmarkTechnical(b *testing.B) {
	d := technicalDetector(b, true)
	plain := detectortest.Event(1)
	plain.Answer = strings.ReplaceAll(plain.Answer, "/", " ")
	for name, in := range map[string]*schemas.Interaction{
		"plain": plain, "linked": linkedAnswer(),
		"hostile": {
			Answer:  manyLinks(),
			Sources: []schemas.Source{{Text: strings.Repeat("a", detectors.MaxSourceBytes)}, {Text: strings.Repeat("A.", detectors.MaxSourceBytes/2)}},
		},
	} {
		b.Run(name, func(b *testing.B) {
			var doc detectors.Document
			doc.Reset(in)
			b.ReportAllocs()
			for b.Loop() {
				doc.Reset(doc.Interaction())
				if _, err := d.Detect(b.Context(), &doc); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}

func manyLinks() string {
	var b strings.Builder
	for i := range 5000 {
		b.WriteString("https://aaaa.com/" + strings.Repeat("a", i%97) + " ")
	}
	return b.String()
}
