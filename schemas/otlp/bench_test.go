package otlp

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	tracepb "go.opentelemetry.io/proto/otlp/trace/v1"
	"google.golang.org/protobuf/encoding/protowire"

	"confab/schemas"
	"confab/schemas/json"
)

// pooled is a sink that uses its interactions again.
type pooled struct {
	list []*schemas.Interaction
	n    int
}

func (p *pooled) New() *schemas.Interaction {
	if p.n == len(p.list) {
		p.list = append(p.list, new(schemas.Interaction))
	}
	p.n++
	return p.list[p.n-1]
}
func (p *pooled) Accept(*schemas.Interaction, int) {}
func (p *pooled) Reject(*Rejected)                 {}
func (p *pooled) Unknown([]string)                 {}

// ragTraces are requests of a RAG program: a server span, a retriever with five passages, an answer.
func ragTraces(n int) *tracepb.TracesData {
	r := rand.New(rand.NewPCG(1, 2))
	words := func(n int) string {
		var b strings.Builder
		for range n {
			fmt.Fprintf(&b, "%s ", []string{"parcel", "warehouse", "customer", "delivery", "contract", "payment"}[r.IntN(6)])
		}
		return b.String()
	}
	var spans []*tracepb.Span
	for i := range n {
		var documents []any
		for k := range 5 {
			documents = append(documents, fmt.Sprintf("retrieval.documents.%d.document.id", k), fmt.Sprint("doc-", k),
				fmt.Sprintf("retrieval.documents.%d.document.content", k), words(60), fmt.Sprintf("retrieval.documents.%d.document.score", k), 0.5)
		}
		find := span(2, 1, 1, append([]any{"openinference.span.kind", "RETRIEVER"}, documents...)...)
		ask := chat(3, 1, 2, words(80), "gen_ai.request.model", "gpt-4o-mini", "gen_ai.response.id", fmt.Sprint("resp-", i),
			"gen_ai.input.messages", quoteMessage("user", "Context:\n"+words(300)+"\nQuestion: "+words(10)), "gen_ai.usage.input_tokens", 500,
			"server.address", "api.example.org", "server.port", 443)
		for _, s := range []*tracepb.Span{find, ask, span(1, 0, 1, "http.method", "POST", "http.route", "/ask")} {
			s.TraceId = append(make([]byte, 8), protowire.AppendFixed64(nil, uint64(i+1))...)
			spans = append(spans, s)
		}
	}
	return traces(spans...)
}

// BenchmarkDecode is the cost of an interaction in a request of 20 traces, and of the same interactions in our JSON.
func BenchmarkDecode(b *testing.B) {
	const n = 20
	m := ragTraces(n)
	for isJSON, raw := range encodings(b, m) {
		name := map[bool]string{false: "otlp_proto", true: "otlp_json"}[isJSON]
		b.Run(name, func(b *testing.B) {
			d := newDecoder(b, Options{JSON: isJSON, Join: true})
			var p pooled
			b.ReportAllocs()
			b.SetBytes(int64(len(raw)))
			for b.Loop() {
				p.n = 0
				_, err := d.Decode(raw, &p)
				require.NoError(b, err)
			}
			require.Equal(b, n, p.n)
			b.ReportMetric(float64(b.N*n)/b.Elapsed().Seconds(), "interactions/s")
			b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N*n), "ns/interaction")
		})
	}
	var c collected
	_, err := newDecoder(b, Options{Join: true}).Decode(encodings(b, m)[false], &c)
	require.NoError(b, err)
	one, err := json.AppendInteraction(nil, c.found[0])
	require.NoError(b, err)
	b.Run("json", func(b *testing.B) {
		d := json.NewDecoder(json.Options{})
		var in schemas.Interaction
		b.ReportAllocs()
		b.SetBytes(int64(len(one)))
		for b.Loop() {
			require.NoError(b, d.Decode(one, &in))
		}
		b.ReportMetric(float64(b.N)/b.Elapsed().Seconds(), "interactions/s")
	})
}
