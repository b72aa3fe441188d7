package llm

import (
	"runtime"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// repeatToLimit repeats item, with commas between, up to the limit of a reply.
func repeatToLimit(head, item, tail string) string {
	n := (maxReply - len(head) - len(tail)) / (len(item) + 1)
	return head + strings.TrimSuffix(strings.Repeat(item+",", n), ",") + tail
}

// distinctKeys is an object of as many distinct keys as a reply holds.
func distinctKeys(head, value, tail string) string {
	var b strings.Builder
	b.WriteString(head)
	for i := 0; b.Len() < maxReply-len(tail)-20-len(value); i++ {
		b.WriteString(`"` + strconv.FormatInt(int64(i), 36) + `":` + value + `,`)
	}
	return strings.TrimSuffix(b.String(), ",") + tail
}

// denseReplies are replies of the largest size whose items are small.
func denseReplies() map[string]string {
	deep := func(open, end string) string { return strings.Repeat(open, 9_000) + strings.Repeat(end, 9_000) }
	return map[string]string{
		"choices":           repeatToLimit(`{"choices":[`, `{}`, `]}`),
		"choices, null":     repeatToLimit(`{"choices":[`, `null`, `]}`),
		"messages":          repeatToLimit(`{"choices":[`, `{"message":{}}`, `]}`),
		"parts":             repeatToLimit(`{"choices":[{"message":{"content":[`, `{}`, `]}}]}`),
		"keys":              distinctKeys(`{"choices":[{}],`, `0`, `}`),
		"keys of choices":   distinctKeys(`{"choices":[{`, `{}`, `}]}`),
		"keys of an error":  distinctKeys(`{"error":{`, `0`, `}}`),
		"details":           repeatToLimit(`{"detail":[`, `{}`, `]}`),
		"details of places": repeatToLimit(`{"detail":[`, `{"loc":[0]}`, `]}`),
		"lists":             repeatToLimit(`[`, `[]`, `]`),
		"predictions":       repeatToLimit(`{"predictions":[`, `{}`, `]}`),
		"tokens":            repeatToLimit(`{"choices":[{"message":{"content":"no"},"logprobs":{"content":[`, `{}`, `]}}]}`),
		"deep lists":        `{"choices":` + deep("[", "]") + `}`,
		"deep objects":      `{"choices":[{"message":{"content":` + strings.Repeat(`{"a":`, 9_000) + `0` + strings.Repeat("}", 9_000) + `}}]}`,
		"NaN":               repeatToLimit(`{"choices":[{}],"x":[`, `NaN`, `]}`),
		"vectors":           repeatToLimit(`{"data":[`, `{}`, `]}`),
		"vectors of one":    repeatToLimit(`{"data":[`, `{"embedding":[1]}`, `]}`),
		"a vector":          repeatToLimit(`{"data":[{"embedding":[`, `1`, `]}]}`),
		"labels":            repeatToLimit(`[[`, `{}`, `]]`),
		"labels of a name":  repeatToLimit(`[[`, `{"label":"a","score":1}`, `]]`),
		"labels, flat":      repeatToLimit(`[`, `{}`, `]`),
		"inputs":            repeatToLimit(`[`, `[{}]`, `]`),
	}
}

// TestReplyCost: parsing any reply of the largest size allocates less than 16 times its bytes.
func TestReplyCost(t *testing.T) {
	readers := map[string]func(body []byte){
		"chat":    func(body []byte) { _, _ = readChat(body) },
		"embed":   func(body []byte) { _, _, _ = readVectors(body, 1) },
		"labels":  func(body []byte) { _, _ = readLabels(body, 1) },
		"rerank":  func(body []byte) { _, _ = formOfKind(KindRerank).readReply(body, make([]Pair, 1)) },
		"spans":   func(body []byte) { _, _ = formOfKind(KindLettuce).readReply(body, make([]Pair, 1)) },
		"choice":  func(body []byte) { _, _ = formOfKind(KindMini).readReply(body, make([]Pair, 1)) },
		"refusal": func(body []byte) { (&Request{N: 2}).rejectedParam(nil, refusalText(body)) },
	}
	for name, text := range denseReplies() {
		require.LessOrEqual(t, len(text), maxReply)
		body := []byte(text)
		for reader, read := range readers {
			t.Run(reader+", "+name, func(t *testing.T) {
				var before, after runtime.MemStats
				runtime.ReadMemStats(&before)
				read(body)
				runtime.ReadMemStats(&after)
				require.Less(t, after.TotalAlloc-before.TotalAlloc, uint64(16*maxReply))
			})
		}
	}
}

// TestListsHaveALimit: what is read of a list ends with the longest that is credible.
func TestListsHaveALimit(t *testing.T) {
	for name, c := range map[string]struct {
		most int
		read func(n int) error
	}{
		"choices": {maxChoices, func(n int) error {
			_, err := readChat([]byte(`{"choices":[{}` + strings.Repeat(",{}", n-1) + `]}`))
			return err
		}},
		"labels": {maxLabels, func(n int) error {
			_, err := readLabels([]byte(`[[`+strings.TrimSuffix(strings.Repeat(`{"label":"a","score":1},`, n), ",")+`]]`), 1)
			return err
		}},
		"vector": {maxDimension, func(n int) error {
			_, _, err := readVectors([]byte(`{"data":[{"embedding":[1`+strings.Repeat(",1", n-1)+`]}]}`), 1)
			return err
		}},
		"vectors": {1, func(n int) error {
			_, _, err := readVectors([]byte(`{"data":[{"embedding":[1]}`+strings.Repeat(`,{"embedding":[1]}`, n-1)+`]}`), 1)
			return err
		}},
	} {
		t.Run(name, func(t *testing.T) {
			require.NoError(t, c.read(c.most))
			require.Error(t, c.read(c.most+1))
		})
	}
}
