package technical

import (
	"testing"

	"github.com/stretchr/testify/require"

	"confab/detectors"
	"confab/detectors/detectortest"
	"confab/schemas"
)

const rulesContext = "Manual: https://docs.acme.io/start. Kerr (1994), doi:10.1016/0092-8674(94)90302-6, and arXiv:1706.03762v5. " +
	"Page https://www.pnas.org/doi/10.1073/pnas.2001234117. Code at https://github.com/acme/tools.\n" +
	"`client.open(path, mode='r', retries=3)` opens. `client.list(prefix, limit=100)` lists. `client.remove(path)` deletes; `client.open_all()` opens all. " +
	"`client.send(data, **options)` sends. GET /v1/files, POST /v1/files, DELETE /v1/files/{id}."

// TestRules has an answer for each rule, and answers that are right.
func TestRules(t *testing.T) {
	call := func(line string) string { return fenced("python", line) }
	for _, c := range []struct{ rule, answer string }{
		{"", "It is at https://docs.acme.io/start#install, https://docs.acme.io/start?utm_source=chat and https://docs.acme.io."},
		{"", "See doi:10.1016/0092-8674(94)90302-6, (https://doi.org/10.1016/0092-8674(94)90302-6) and https://www.cell.com/doi/pdf/10.1016/0092-8674(94)90302-6."},
		{"", "See https://doi.org/10.1073/pnas.2001234117, arXiv:1706.03762 and https://arxiv.org/pdf/1706.03762v5.pdf."},
		{"", call("files = client.list('logs/', limit=50)\nclient.open('a', mode='w', retries=(1 + 2))\nclient.remove(path='x')")},
		{"", call("client.send(x, compress=True)\nclient.list(sorted(a, key=f), limit=3)\nif client.list(a) == b: pass")},
		{"", "Use pip install flask_cors, or:\n" + bashBlock("pip install flask_cors Levenshtein psycopg2")},
		{"host_form", "See https://a..b/c"},
		{"host_port", "See https://acme.org:99999/c"},
		{"host_tld", "See https://acme.lolcat/c"},
		{"host_lookalike", "See https://p\u0430ypal.com/x"},
		{"host_login", "See https://acme.com@evil.net/x"},
		{"host_placeholder", "See https://api.example.com/x"},
		{"host_invented", "Call https://example-api.com/users"},
		{"host_invented", "Call https://fake-endpoint.com/users"},
		{"host_address", "See http://8.8.8.8/x"},
		{"page_invented", "Call https://acme.org/v999/users"},
		{"page_invented", "Call https://acme.org/api/nonexistent"},
		{"page_of_source_host", "See https://docs.acme.io/refunds"},
		{"page_of_known_host", "See https://github.com/acme/other"},
		{"page", "See https://acme-help.org/refunds"},
		{"host", "See https://acme-help.org"},
		{"mail", "Write to help@acme-help.org"},
		{"doi_form", "See doi:10.12/abc"},
		{"doi_placeholder", "See doi:10.1234/abcd"},
		{"arxiv_form", "See arXiv:2301.0123"},
		{"arxiv_month", "See arXiv:2313.01234"},
		{"arxiv_number", "See arXiv:2301.98765"},
		{"id_not_listed", "Kerr (1994), https://doi.org/10.1016/0092-8674(94."},
		{"id_not_listed", "See doi:10.1073/pnas.2001234118."},
		{"id_not_listed", "See doi:10.1073/pnas.200123411."},
		{"id_not_listed", "See arXiv:1706.03761"},
		{"package_form", bashBlock("pip install requests-")},
		{"module_path", bashBlock("go get requests")},
		{"package_standard", "Run pip install time first."},
		{"package_twin", bashBlock("pip install sklearn")},
		{"package_twin", bashBlock("npm i crossenv")},
		{"package_invented", "Just pip install nonexistent-pkg"},
		{"near_typo", "Run pip install reqeusts to start."},
		{"near_short", bashBlock("pip install nunpy")},
		{"standard_part", fenced("go", "import \"net/websocket\"")},
		{"standard_odd", fenced("go", "import \"websocket\"")},
		{"member", fenced("python", "import json\njson.parse(x)")},
		{"member_typo", fenced("python", "import json\njson.load_s(x)")},
		{"endpoint", "Call GET /v1/users"},
		{"endpoint_method", "Call PATCH /v1/files"},
		{"call", "Use `client.walk(prefix)`."},
		{"call_typo", "Use `client.open_al(prefix)`."},
		{"keyword", call("files = client.list('logs/', recursive=True)")},
	} {
		t.Run(c.rule+" "+c.answer, func(t *testing.T) {
			var doc detectors.Document
			doc.Reset(detectortest.Sourced(c.answer, rulesContext))
			f, err := technicalDetector(t, false).Detect(t.Context(), &doc)
			require.NoError(t, err)
			s, _ := detectors.Scratch[scratch](&doc)
			if c.rule == "" {
				require.Empty(t, f.NotCheckable)
				require.Zero(t, f.Score, "%+v", f.Evidence)
				return
			}
			require.NotEmpty(t, s.faults, "%+v", f)
			require.Equal(t, c.rule, s.faults[0].id)
			require.GreaterOrEqual(t, f.Score, s.faults[0].weight)
		})
	}
}

// A page of a host that only the prompt names is no contradiction.
func TestHostOfThePrompt(t *testing.T) {
	var doc detectors.Document
	doc.Reset(&schemas.Interaction{Answer: "See https://acme.org/refunds", Messages: []schemas.Message{{Role: "user", Content: "I read https://acme.org/start"}}})
	f, err := technicalDetector(t, false).Detect(t.Context(), &doc)
	require.NoError(t, err)
	require.InDelta(t, pageNear.weight, f.Score, 0)
}
