package standard_test

import (
	"fmt"
	"log"
	"os"
	"runtime"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"confab/detectors"
	"confab/detectors/standard"
	"confab/internal/llm"
	"confab/internal/llm/llmtest"
	"confab/internal/logtest"
	"confab/schemas"
)

// replyMarker is in every broken reply. It must not reach a flag or a log.
const replyMarker = "hunter2"

// brokenReplies returns invalid HTTP replies of a server.
func brokenReplies() map[string]llmtest.Reply {
	deep := strings.Repeat(`{"a":`, 9_000) + `"` + replyMarker + `"` + strings.Repeat("}", 9_000)
	of := func(body string) llmtest.Reply { return llmtest.Reply{Body: body} }
	return map[string]llmtest.Reply{
		"10 MB":                    of(`{"choices":[{"message":{"content":"` + strings.Repeat(replyMarker, 10<<20/len(replyMarker)) + `"}}]}`),
		"350,000 choices":          of(`{"choices":[{}` + strings.Repeat(",{}", 340_000) + `]}`),
		"no choices":               of(`{"choices":[],"note":"` + replyMarker + `"}`),
		"choices of null":          of(`{"choices":null}`),
		"an error under 200":       of(`{"error":{"message":"` + replyMarker + `"}}`),
		"HTML":                     {Body: "<html>" + replyMarker + "</html>", Header: map[string]string{"Content-Type": "text/html"}},
		"deep JSON":                of(`{"choices":` + deep + `}`),
		"JSON deeper than is read": of(strings.Repeat("[", 20_000) + strings.Repeat("]", 20_000)),
		"100,000 keys":             of(`{` + manyKeys() + `}`),
		"a refusal of 1 MB":        {Status: 400, Body: `{"error":{"message":"` + strings.Repeat(replyMarker, 1<<20/len(replyMarker)) + `"}}`},
		"a refusal by a text":      {Status: 403, Body: replyMarker},
		"an error of the server":   {Status: 500, Body: replyMarker},
		"a redirect":               {Status: 307, Header: map[string]string{"Location": "/v1/chat/completions"}, Body: replyMarker},
		"headers of 1 MB":          {Body: `{}`, Header: map[string]string{"X-Long": strings.Repeat(replyMarker, 1<<20/len(replyMarker))}},
		"invalid gzip":             {Body: replyMarker, Header: map[string]string{"Content-Encoding": "gzip"}},
		"a cut connection":         {Body: `{"choices":[{"message":{"content":"` + replyMarker + `"}}]}`, Cut: 40},
		"a hang-up":                {Reset: true},
		"nothing":                  {Status: 204, Body: " "},
	}
}

func manyKeys() string {
	var b strings.Builder
	for i := range 100_000 {
		fmt.Fprintf(&b, `"%x":0,`, i)
	}
	return b.String() + `"note":"` + replyMarker + `"`
}

// brokenTexts returns texts of valid replies that do not have the requested form.
func brokenTexts() map[string]string {
	return map[string]string{
		"nothing":               "",
		"null":                  "null",
		"prose":                 "I have looked at it: " + replyMarker,
		"a refusal":             "I'm sorry, but I cannot help with that, " + replyMarker,
		"another language":      "Das kann ich nicht beurteilen: " + replyMarker,
		"a fence left open":     "```json\n{\"verdicts\":[]}",
		"a fence in a fence":    "```\n```json\n{}\n```\n```",
		"a list":                `[{"index":1,"verdict":1}]`,
		"index twice":           `{"verdicts":[{"index":1,"verdict":1},{"index":1,"verdict":1}],"relations":[{"index":0,"relation":"entailment"},{"index":0,"relation":"entailment"}],"statements":7}`,
		"confidence of 7":       `{"verdicts":[{"index":1,"verdict":1,"confidence":7}],"relations":[{"index":0,"relation":"entailment","confidence":7}],"statements":[7]}`,
		"NaN":                   `{"verdicts":[{"index":0,"verdict":NaN}],"relations":NaN,"statements":NaN}`,
		"index of 2^63":         `{"verdicts":[{"index":9223372036854775808,"verdict":1}],"relations":[{"index":1e300,"relation":"entailment"}]}`,
		"an unknown relation":   `{"relations":[{"index":0,"relation":"` + replyMarker + `"}]}`,
		"100,000 keys":          `{` + manyKeys() + `}`,
		"100,000 verdicts":      `{"verdicts":[{}` + strings.Repeat(",{}", 100_000) + `],"relations":[{}` + strings.Repeat(",{}", 100_000) + `]}`,
		"100,000 statements":    `{"statements":[""` + strings.Repeat(`,""`, 100_000) + `]}`,
		"a statement of 900 kB": `{"statements":["` + strings.Repeat("a ", 450_000) + `"]}`,
		"deep":                  `{"verdicts":` + strings.Repeat("[", 9_000) + strings.Repeat("]", 9_000) + `,"statements":{}}`,
		"deeper than is read":   `{"verdicts":` + strings.Repeat("[", 20_000) + strings.Repeat("]", 20_000) + `}`,
		"combining marks":       "{" + strings.Repeat("\u0301", 200_000) + "}",
		"not UTF-8":             "{\xff\xfe}",
		"NUL":                   "{}\x00",
	}
}

// evaluateAll evaluates with fast and deep detectors and requires that the fast signals fire and no reply is quoted.
func (w *deepFixture) evaluateAll(t *testing.T, in *schemas.Interaction, fired []string) *detectors.Evaluation {
	t.Helper()
	w.entries = append(standard.Fast(standard.Dependencies{}), standard.Deep(standard.Dependencies{})...)
	logged := captureLog(t)
	s, _ := w.suite(t)
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	e := s.Evaluate(t.Context(), in)
	runtime.ReadMemStats(&after)
	require.Less(t, after.TotalAlloc-before.TotalAlloc, uint64(192<<20), "of client and server, of all requests together")
	require.Subset(t, e.Fired(), fired, "no fast signal is lost")
	raw := fmt.Sprintf("%+v", e.Flag(schemas.Origin{}, schemas.PassDeep, time.Time{}))
	require.NotContains(t, raw, replyMarker)
	require.NotContains(t, logged.String(), replyMarker, "no log line quotes a reply")
	return e
}

// captureLog redirects the standard log and the default slog logger to a buffer until the test ends.
func captureLog(t *testing.T) fmt.Stringer {
	t.Helper()
	b := new(logtest.Buffer)
	log.SetOutput(b) // the default slog logger writes there, too
	t.Cleanup(func() { log.SetOutput(os.Stderr) })
	return b
}

// TestBrokenReplies requires outcome error of every detector that gets an invalid reply, with a reason that does not quote it.
// Fast signals are not lost.
func TestBrokenReplies(t *testing.T) {
	in := interaction(bridgeWrong, bridgeSource()...)
	fast := deepFixture{entries: standard.Fast(standard.Dependencies{})}
	plain, _ := fast.suite(t)
	e := plain.Evaluate(t.Context(), in)
	fired := append([]string(nil), e.Fired()...)
	e.Release()
	require.NotEmpty(t, fired)
	for name, reply := range brokenReplies() {
		for _, by := range []string{"model", "nli", "rerank", "lettucedetect", "minicheck", "embedder"} {
			t.Run(name+", "+by, func(t *testing.T) {
				reply.Times = -1
				w := deepFixture{script: []llmtest.Reply{reply}, embedder: by == "embedder"}
				if by != "model" && by != "embedder" {
					w.verifier = llm.Kind(by)
				}
				e := w.evaluateAll(t, in, fired)
				defer e.Release()
				for _, signal := range e.Flag(schemas.Origin{}, schemas.PassDeep, time.Time{}).Signals {
					if isDeepDetector(signal.Detector) {
						require.Equal(t, schemas.Failed, signal.Outcome, signal.Detector)
						require.NotEmpty(t, signal.Reason)
						require.Less(t, len(signal.Reason), 200)
					}
				}
			})
		}
	}
}

// TestBrokenVectors requires outcome error of consistency when the embedder returns unusable vectors.
func TestBrokenVectors(t *testing.T) {
	in := interaction(bridgeWrong, bridgeSource()...)
	for name, body := range map[string]string{
		"none":               `{"data":[]}`,
		"dimension 0":        `{"data":[` + vectorsOf(5, "") + `]}`,
		"10 million numbers": `{"data":[{"embedding":[1` + strings.Repeat(",1", 10_000_000) + `]}]}`,
		"100,000 numbers":    `{"data":[` + vectorsOf(5, "1"+strings.Repeat(",1", 100_000)) + `]}`,
		"NaN":                `{"data":[` + vectorsOf(5, "NaN") + `]}`,
		"null":               `{"data":[` + vectorsOf(5, "null") + `]}`,
		"texts":              `{"data":[` + vectorsOf(5, `"1"`) + `]}`,
		"1e300":              `{"data":[` + vectorsOf(5, "1e300") + `]}`,
		"zeros":              `{"data":[` + vectorsOf(5, "0,0,0") + `]}`,
		"so small as zeros":  `{"data":[` + vectorsOf(5, "1e-300") + `]}`,
		"mixed dimensions":   `{"data":[` + vectorsOf(4, "1,2") + `,{"index":4,"embedding":[1]}]}`,
		"an index twice":     `{"data":[` + vectorsOf(4, "1") + `,{"index":3,"embedding":[1]}]}`,
		"one too many":       `{"data":[` + vectorsOf(6, "1") + `]}`,
		"350,000 of nothing": `{"data":[{}` + strings.Repeat(",{}", 340_000) + `]}`,
		"base64":             `{"data":[{"embedding":"AACAPw=="}]}`,
	} {
		t.Run(name, func(t *testing.T) {
			w := deepFixture{entries: onlyDetector("consistency"), embedder: true, script: []llmtest.Reply{chatReply(bridge, bridge), {Body: body, Times: -1}}}
			s, server := w.suite(t)
			e := s.Evaluate(t.Context(), in)
			defer e.Release()
			require.Len(t, server.Requests(), 2)
			require.Equal(t, schemas.Failed, e.Readings()[0].Outcome, "%+v", e.Readings()[0])
		})
	}
}

func vectorsOf(n int, numbers string) string {
	var list []string
	for i := range n {
		list = append(list, fmt.Sprintf(`{"index":%d,"embedding":[%s]}`, i, numbers))
	}
	return strings.Join(list, ",")
}

// TestBrokenTexts requires outcome error when the text of a reply does not have the requested form.
func TestBrokenTexts(t *testing.T) {
	if testing.Short() {
		t.Skip("takes seconds: make test runs it")
	}
	in := interaction(bridge, bridgeSource()...)
	for name, text := range brokenTexts() {
		t.Run(name, func(t *testing.T) {
			say := func(judgePrompt) string { return text }
			for _, w := range []deepFixture{{faults: say, relations: say}, {verdicts: say, byStatement: true, relations: say}, {statements: func(string) string { return text }, byStatement: true, relations: say}} {
				w.samples = []string{bridge}
				e := w.evaluateAll(t, in, nil)
				for _, signal := range e.Flag(schemas.Origin{}, schemas.PassDeep, time.Time{}).Signals {
					switch {
					case !isDeepDetector(signal.Detector) || signal.Detector == "consistency":
					default:
						require.Equal(t, schemas.Failed, signal.Outcome, signal.Detector)
					}
				}
				e.Release()
			}
		})
	}
}

func isDeepDetector(name string) bool {
	return slices.Contains(detectors.Names(standard.Deep(standard.Dependencies{})), name)
}

// TestMarksInEmbedderInput evaluates an answer with many combining marks.
func TestMarksInEmbedderInput(t *testing.T) {
	tower := "The bridge" + strings.Repeat("\u0301\u0489\u20dd", 20_000) + " opened in May 1932 and carries eight lanes."
	w := deepFixture{entries: onlyDetector("consistency"), embedder: true, samples: []string{tower, bridge}}
	s, _ := w.suite(t)
	e := s.Evaluate(t.Context(), interaction(tower))
	defer e.Release()
	require.Contains(t, []schemas.Outcome{schemas.Clear, schemas.Fired, schemas.NotCheckable}, e.Readings()[0].Outcome, "%+v", e.Readings()[0])
}
