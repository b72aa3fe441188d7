package technical

import (
	"bytes"
	"errors"
	"io"
	"io/fs"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"confab/detectors"
	"confab/detectors/detectortest"
	"confab/internal/names"
	"confab/schemas"
)

// knownNames are the contents of these tests' indexes.
var knownNames = map[names.Ecosystem]string{
	names.PyPI:     "requests numpy pandas acme-billing internal-tools pyyaml flask",
	names.NPM:      "react lodash express left-pad @acme/ui nuxt-edge",
	names.Go:       "github.com/acme/billing golang.org/x/net github.com/stretchr/testify github.com/jackc/pgx/v5",
	names.Crates:   "serde serde_json tokio acme-core",
	names.RubyGems: "rails nokogiri acme",
}

// indexFiles returns the contents of index files by ecosystem.
func indexFiles(t testing.TB) map[string][]byte {
	t.Helper()
	files := map[string][]byte{}
	for e, list := range knownNames {
		b := names.NewBuilder(e)
		for name := range strings.FieldsSeq(list) {
			require.NoError(t, b.Add(name))
		}
		x, err := b.Build()
		require.NoError(t, err)
		var file bytes.Buffer
		_, err = x.WriteTo(&file)
		require.NoError(t, err)
		files[string(e)] = file.Bytes()
	}
	return files
}

func technicalDetector(t testing.TB, indexed bool) detectors.Detector {
	t.Helper()
	o := DefaultOptions()
	files := indexFiles(t)
	if indexed {
		o.Indexes = map[string]string{}
		for e := range files {
			o.Indexes[e] = e
		}
	}
	d, err := New(o, func(path string) (io.ReadCloser, error) {
		return io.NopCloser(bytes.NewReader(files[path])), nil
	})
	require.NoError(t, err)
	return d
}

// technicalCase is an answer with its expected first evidence.
type technicalCase struct {
	name   string
	answer string
	want   string // "mention | part of the note", "" for a clear answer, or notCheckable
	above  float64
}

const notCheckable = "not checkable"

func runTechnical(t *testing.T, d detectors.Detector, in schemas.Interaction, cases []technicalCase) {
	t.Helper()
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			in := in
			in.Answer = c.answer
			var doc detectors.Document
			doc.Reset(&in)
			f, err := d.Detect(t.Context(), &doc)
			require.NoError(t, err)
			if c.want == notCheckable {
				require.NotEmpty(t, f.NotCheckable, "%+v", f)
				return
			}
			require.Empty(t, f.NotCheckable)
			if c.want == "" {
				require.Empty(t, f.Evidence)
				require.Zero(t, f.Score)
				return
			}
			require.NotEmpty(t, f.Evidence)
			e := f.Evidence[0]
			mention, note, _ := strings.Cut(c.want, " | ")
			require.Equal(t, mention, c.answer[e.Start:e.End])
			require.Contains(t, e.Note, note)
			require.NotEmpty(t, f.Reason)
			require.GreaterOrEqual(t, f.Score, c.above)
			require.Less(t, f.Score, 1.0)
		})
	}
}

func bashBlock(line string) string { return "Run this:\n```bash\n" + line + "\n```\n" }

func fenced(language, text string) string {
	return "Like so:\n```" + language + "\n" + text + "\n```\nDone."
}

// TestTechnicalAddresses has no sources, so that only invalid addresses have a high weight.
func TestTechnicalAddresses(t *testing.T) {
	prompt := schemas.Interaction{Messages: []schemas.Message{{Role: "user", Content: "See https://docs.acme.io/start or write to help@acme.io."}}}
	runTechnical(t, technicalDetector(t, false), prompt, []technicalCase{
		{name: "of the prompt", answer: "It is at https://docs.acme.io/start."},
		{name: "of the prompt in Markdown", answer: "It is [here](https://docs.acme.io/start)."},
		{name: "with a slash more", answer: "It is at <https://docs.acme.io/start/>"},
		{name: "in capitals", answer: "It is at HTTPS://DOCS.ACME.IO/start!"},
		{name: "host of the prompt", answer: "It is at https://docs.acme.io/"},
		{name: "www of the prompt", answer: "It is at www.docs.acme.io/start, they say."},
		{name: "mail of the prompt", answer: "Write to help@acme.io."},
		{name: "mailto of the prompt", answer: "[Write](mailto:help@acme.io) to us."},

		{name: "another page of the host", answer: "It is at https://docs.acme.io/pricing.", want: "https://docs.acme.io/pricing | not this page", above: .5},
		{name: "a longer name is another page", answer: "See https://docs.acme.io/started", want: "https://docs.acme.io/started | not this page", above: .5},
		{name: "another mail of the host", answer: "Write to sales@acme.io.", want: "sales@acme.io | neither", above: .45},
		{name: "a part of a label is another host", answer: "See https://cme.io/start", want: "https://cme.io/start | neither", above: .1},
		{name: "from memory", answer: "See https://go.dev/doc/effective_go (the guide).", want: "https://go.dev/doc/effective_go | neither", above: .1},
		{name: "a front page from memory", answer: "See https://go.dev.", want: "https://go.dev | neither", above: .01},
		{name: "parentheses of the path stay", answer: "(https://en.wikipedia.org/wiki/Go_(game))", want: "https://en.wikipedia.org/wiki/Go_(game) | neither"},
		{name: "mail from memory", answer: "Write to jane.doe@acme.org.", want: "jane.doe@acme.org | neither", above: .1},

		{name: "unknown domain", answer: "See https://docs.acme.lolcat/start", want: "https://docs.acme.lolcat/start | top-level domain", above: .7},
		{name: "unknown domain of a mail", answer: "Write to info@acme.comm", want: "info@acme.comm | top-level domain", above: .7},
		{name: "empty label", answer: "See https://docs..acme.com/x", want: "https://docs..acme.com/x | no host", above: .7},
		{name: "hyphen first", answer: "See https://-acme.com/x", want: "https://-acme.com/x | no host", above: .7},
		{name: "hyphen last", answer: "See https://acme-.com/x", want: "https://acme-.com/x | no host", above: .7},
		{name: "odd letters", answer: "See https://ac!me.com/x", want: "https://ac!me.com/x | no host", above: .7},
		{name: "long label", answer: "See https://" + strings.Repeat("a", 64) + ".com", want: "https://" + strings.Repeat("a", 64) + ".com | no host", above: .7},
		{name: "port out of range", answer: "See http://acme.com:99999/x", want: "http://acme.com:99999/x | port", above: .7},
		{name: "port in letters", answer: "See http://acme.com:http/x", want: "http://acme.com:http/x | port", above: .7},
		{name: "address out of range", answer: "See http://10.300.1.1/x", want: "http://10.300.1.1/x | no host", above: .7},
		{name: "bare private address", answer: "See http://192.168.1.10/admin", want: "http://192.168.1.10/admin | bare IP", above: .2},
		{name: "bare address, version 6", answer: "See http://[2001:db8::1]/admin now", want: "http://[2001:db8::1]/admin | bare IP", above: .2},
		{name: "login that looks like a host", answer: "See https://acme.com@evil.net/x", want: "https://acme.com@evil.net/x | after the @", above: .6},
		{name: "Cyrillic in a Latin name", answer: "See https://p\u0430ypal.com/x", want: "https://p\u0430ypal.com/x | another one", above: .7},
		{name: "Cyrillic that looks Latin", answer: "See https://\u0430\u0440\u0440\u04cf\u0435.com/", want: "https://\u0430\u0440\u0440\u04cf\u0435.com/ | another one", above: .7},
		{name: "the same as punycode", answer: "See https://xn--80ak6aa92e.com/", want: "https://xn--80ak6aa92e.com/ | another one", above: .7},
		{name: "no punycode", answer: "See https://xn--\u0430.com/ or https://xn--99999999.com/", want: "https://xn--\u0430.com/ | no host", above: .7},
		{name: "placeholder", answer: "Call https://api.example.com/v1/items", want: "https://api.example.com/v1/items | placeholder", above: .2},
		{name: "placeholder of one's own", answer: "Call https://your-domain.com/v1", want: "https://your-domain.com/v1 | placeholder", above: .2},
		{name: "placeholder mail", answer: "Write to jane@example.org", want: "jane@example.org | placeholder", above: .2},

		{name: "an international name", answer: "Siehe https://www.b\u00fccher.de/", want: "https://www.b\u00fccher.de/ | neither", above: .01},
		{name: "a Russian name", answer: "См. https://\u043f\u0440\u0435\u0437\u0438\u0434\u0435\u043d\u0442.\u0440\u0444/", want: "https://\u043f\u0440\u0435\u0437\u0438\u0434\u0435\u043d\u0442.\u0440\u0444/ | neither", above: .01},
		{name: "a Russian name of letters that look Latin", answer: "См. https://\u043e\u0441\u0430.\u0440\u0444/", want: "https://\u043e\u0441\u0430.\u0440\u0444/ | neither", above: .01},
		{name: "a Russian name under a Latin domain", answer: "См. https://\u043b\u0435\u0441.com/", want: "https://\u043b\u0435\u0441.com/ | neither", above: .01},
		{name: "Chinese punctuation ends it", answer: "见 https://go.dev。谢谢", want: "https://go.dev | neither"},
		{name: "a suffix of two parts", answer: "See https://bbc.co.uk", want: "https://bbc.co.uk | neither"},
		{name: "a private suffix", answer: "See https://acme.github.io", want: "https://acme.github.io | neither"},

		{name: "this machine", answer: "Open http://localhost:8080/x and http://127.0.0.1:9090 and http://[::1]:80/", want: notCheckable},
		{name: "a service of one's network", answer: "Call http://redis:6379 or http://db.default.svc.cluster.local/x", want: notCheckable},
		{name: "a template", answer: "Call https://${HOST}/v1 or `https://api.{region}.acme.com/`", want: notCheckable},
		{name: "another scheme", answer: "Use postgres://db.acme.com/x or s3://bucket/key.", want: notCheckable},
		{name: "no address", answer: "Use a/b and and/or, 10/12, w/o", want: notCheckable},
		{name: "a handle", answer: "Ask @gopher or @gopher@hachyderm on it.", want: notCheckable},
		{name: "a decorator", answer: fenced("python", "@app.route\ndef f(): pass"), want: notCheckable},
		{name: "secure copy", answer: "Clone git@github.com:acme/tools and go.", want: notCheckable},
		{name: "plain prose", answer: "The bridge opened in May 1937.", want: notCheckable},
	})
}

func TestTechnicalAddressesWithSources(t *testing.T) {
	in := schemas.Interaction{
		Messages: []schemas.Message{{Role: "user", Content: "Where is it? Like http://shop.example/cart?"}, {Role: "assistant", Content: "At https://made.up.com/once"}},
		Sources: []schemas.Source{
			{Text: "The manual is at https://docs.acme.io/manual?v=2#top and at WWW.ACME.IO/Help.", URI: "https://kb.acme.io/articles/17"},
			{Text: "Contact: sales@acme.io, doi:10.1038/nature14539, arXiv:1706.03762."},
		},
	}
	runTechnical(t, technicalDetector(t, false), in, []technicalCase{
		{name: "of a source", answer: "See https://docs.acme.io/manual?v=2#top."},
		{name: "the page without its query", answer: "See https://docs.acme.io/manual."},
		{name: "in other letters of case", answer: "See https://www.acme.io/help."},
		{name: "the address of a source", answer: "See https://kb.acme.io/articles/17."},
		{name: "mail of a source", answer: "Write to sales@acme.io"},
		{name: "DOI of a source", answer: "LeCun et al., https://doi.org/10.1038/nature14539"},
		{name: "arXiv id of a source", answer: "See arXiv:1706.03762 and https://arxiv.org/abs/1706.03762"},

		{name: "another page", answer: "See https://docs.acme.io/manual/install/advanced-setup or https://docs.acme.io/faq", want: "https://docs.acme.io/manual/install/advanced-setup | not this page", above: .5},
		{name: "another article", answer: "See https://kb.acme.io/articles/18", want: "https://kb.acme.io/articles/18 | not this page", above: .5},
		{name: "another page of a reserved host", answer: "See http://shop.example/pay", want: "http://shop.example/pay | not this page", above: .5},
		{name: "another host", answer: "See https://acme-support.com/returns", want: "https://acme-support.com/returns | neither", above: .4},
		{name: "another front page", answer: "See https://acme-support.com", want: "https://acme-support.com | neither", above: .2},
		{name: "another mail", answer: "Write to support@acme.io", want: "support@acme.io | neither", above: .45},
		{name: "another DOI", answer: "See doi:10.1038/nature99999", want: "10.1038/nature99999 | neither", above: .5},
		{name: "another arXiv id", answer: "See arXiv:1706.03763", want: "1706.03763 | neither", above: .5},
		{name: "what the model said before", answer: "See https://made.up.com/once", want: "https://made.up.com/once | neither", above: .4},
	})
}

func TestTechnicalIdentifiers(t *testing.T) {
	in := schemas.Interaction{OccurredAt: time.Date(2024, 3, 31, 23, 30, 0, 0, time.UTC)}
	runTechnical(t, technicalDetector(t, false), in, []technicalCase{
		{name: "DOI", answer: "It is doi:10.1000/182.", want: "10.1000/182 | neither", above: .3},
		{name: "DOI alone", answer: "It is (10.1016/j.cell.2019.01.001).", want: "10.1016/j.cell.2019.01.001 | neither", above: .3},
		{name: "DOI with parentheses", answer: "It is 10.1016/S0140-6736(20)30183-5, open.", want: "10.1016/S0140-6736(20)30183-5 | neither"},
		{name: "DOI as a link", answer: "https://dx.doi.org/10.1145/3292500.3330701", want: "10.1145/3292500.3330701 | neither"},
		{name: "registrant too short", answer: "DOI: 10.12/abc", want: "10.12/abc | no DOI", above: .7},
		{name: "nothing behind the slash", answer: "See doi:10.1234/ there", want: "10.1234/ | no DOI", above: .7},
		{name: "another number", answer: "See https://doi.org/11.1038/nature14539", want: "11.1038/nature14539 | no DOI", above: .7},
		{name: "placeholder registrant", answer: "doi:10.1234/abcd.2020", want: "10.1234/abcd.2020 | placeholder", above: .5},
		{name: "placeholder name", answer: "doi:10.1038/s41586-xxxx-x", want: "10.1038/s41586-xxxx-x | placeholder", above: .5},

		{name: "arXiv", answer: "See arXiv:2301.01234.", want: "2301.01234 | neither", above: .25},
		{name: "arXiv version", answer: "See arXiv: 2301.01234v2.", want: "2301.01234v2 | neither", above: .25},
		{name: "arXiv PDF", answer: "https://arxiv.org/pdf/2301.01234v2.pdf", want: "2301.01234v2 | neither"},
		{name: "arXiv of four digits", answer: "arXiv:0704.0001 and arxiv:1412.9999", want: "0704.0001 | neither"},
		{name: "arXiv of old", answer: "arXiv:hep-th/9901001 was read.", want: "hep-th/9901001 | neither"},
		{name: "arXiv of old with a class", answer: "arXiv:math.GT/0309136", want: "math.GT/0309136 | neither"},
		{name: "this month", answer: "arXiv:2403.01234", want: "2403.01234 | neither"},
		{name: "tomorrow is next month", answer: "arXiv:2404.00001", want: "2404.00001 | neither"},
		{name: "next month", answer: "arXiv:2405.01234", want: "2405.01234 | after the answer", above: .8},
		{name: "no month", answer: "arXiv:2313.01234", want: "2313.01234 | no such month", above: .8},
		{name: "month of zero", answer: "arXiv:2300.01234", want: "2300.01234 | no such month", above: .8},
		{name: "before the form", answer: "arXiv:0612.1234", want: "0612.1234 | no such month", above: .8},
		{name: "old form after its time", answer: "arXiv:hep-th/0801001", want: "hep-th/0801001 | no such month", above: .8},
		{name: "too few digits", answer: "arXiv:2301.0123", want: "2301.0123 | this form", above: .7},
		{name: "too many digits", answer: "arXiv:1301.01234", want: "1301.01234 | this form", above: .7},
		{name: "number of zero", answer: "arXiv:2301.00000", want: "2301.00000 | this form", above: .7},
		{name: "too many papers", answer: "arXiv:2301.98765", want: "2301.98765 | so many papers", above: .6},
		{name: "words with figures", answer: "arXiv:attention2017.pdf", want: "attention2017 | this form", above: .7},

		{name: "arithmetic", answer: "It costs 10.5/3 and 10.25/2 or 10.1234 in all.", want: notCheckable},
		{name: "an address of the net", answer: "Use 10.0.0.0/8 there, or 10.100.0.0/16.", want: notCheckable},
		{name: "another archive", answer: "On bioRxiv: 2020.01.30 it was read.", want: notCheckable},
		{name: "a label alone", answer: "The doi: none. The arXiv: none.", want: notCheckable},
	})
	t.Run("no time, no future", func(t *testing.T) {
		runTechnical(t, technicalDetector(t, false), schemas.Interaction{}, []technicalCase{
			{name: "next month", answer: "arXiv:2405.01234", want: "2405.01234 | neither", above: .25},
		})
	})
}

func TestTechnicalScore(t *testing.T) {
	score := func(answer string) float64 {
		f, err := technicalDetector(t, true).Detect(t.Context(), documentOf(answer))
		require.NoError(t, err)
		return f.Score
	}
	one, other := score(bashBlock("pip install acme-nonsense")), score(bashBlock("pip install other-nonsense"))
	require.InDelta(t, one, other, 0)
	require.InDelta(t, 1-(1-one)*(1-one), score(bashBlock("pip install acme-nonsense other-nonsense")), 1e-9, "reliable findings are joined")
	require.InDelta(t, unsourced.weight, score("https://a.com/x https://b.com/x https://c.com/x https://d.com/x"), 0, "weak ones are not")
	require.InDelta(t, one, score(bashBlock("pip install acme-nonsense requests acme-nonsense")), 0, "a name counts once")
}

func TestTechnicalFinding(t *testing.T) {
	d := technicalDetector(t, true)
	f, err := d.Detect(t.Context(), documentOf("See https://go.dev/x, doi:10.1234/x and arXiv:2301.00001.\n"+
		bashBlock("pip install reqeusts numpy\nnpm i react")+fenced("go", "import \"net/websocket\"")))
	require.NoError(t, err)
	require.Equal(t, []detectors.Measure{
		{Name: "urls", Value: 1},
		{Name: "dois", Value: 2},
		{Name: "packages", Value: 3},
		{Name: "imports", Value: 1},
		{Name: "members", Value: 0},
		{Name: "calls", Value: 0},
		{Name: "unknown_names", Value: 2},
		{Name: "near_misses", Value: 0},
		{Name: "not_in_context", Value: 2},
		{Name: "malformed", Value: 0},
	}, f.Measures)
	require.Equal(t, schemas.Technical, f.Type)
	var notes []string
	for _, e := range f.Evidence {
		notes = append(notes, e.Note)
		require.Equal(t, -1, e.Source)
	}
	require.Equal(t, []string{
		"no such package in the pypi index; nearest: requests", "the standard library of Go has no such package",
		"this looks like a placeholder for a DOI", "in neither the prompt nor the sources", "in neither the prompt nor the sources",
	}, notes)

	f, err = d.Detect(t.Context(), documentOf("See https://go..dev/x"))
	require.NoError(t, err)
	require.Equal(t, schemas.Fabrication, f.Type)

	f, err = technicalDetector(t, false).Detect(t.Context(), documentOf(bashBlock("pip install acme-nonsense")))
	require.NoError(t, err)
	require.Equal(t, reasonNoIndex, f.NotCheckable)
	require.Equal(t, detectors.Measure{Name: "packages", Value: 1}, f.Measures[2])
}

func TestTechnicalIsBounded(t *testing.T) {
	var b strings.Builder
	for i := range 3 * maxMentions {
		b.WriteString("https://acme.com/" + strings.Repeat("x", i) + " ")
	}
	f, err := technicalDetector(t, false).Detect(t.Context(), documentOf(b.String(), "acme"))
	require.NoError(t, err)
	require.True(t, f.Truncated)
	require.Equal(t, detectors.Measure{Name: "urls", Value: maxMentions}, f.Measures[0])
}

func TestTechnicalIndexes(t *testing.T) {
	files := indexFiles(t)
	open := func(path string) (io.ReadCloser, error) {
		file, ok := files[path]
		if !ok {
			return nil, &fs.PathError{Op: "open", Path: path, Err: fs.ErrNotExist}
		}
		return io.NopCloser(bytes.NewReader(file)), nil
	}
	files["cut.names"], files["list.txt"] = files["pypi"][:60], []byte("requests\n")
	damaged := bytes.Clone(files["pypi"])
	damaged[70]++
	files["damaged.names"] = damaged
	for name, c := range map[string]struct {
		indexes map[string]string
		want    []string
	}{
		"none":            {nil, nil},
		"all":             {map[string]string{"pypi": "pypi", "go": "go"}, nil},
		"another kind":    {map[string]string{"pypi": "npm"}, []string{"indexes: pypi: npm holds names of npm: configure it under that key, or build one with `confab index --ecosystem pypi`"}},
		"unknown kind":    {map[string]string{"pip": "pypi"}, []string{`indexes: pip: ecosystem "pip" is not known: choose one of pypi, npm, go, crates, rubygems`}},
		"missing":         {map[string]string{"go": "nowhere"}, []string{"indexes: go: open nowhere: file does not exist: build it with `confab index --ecosystem go`"}},
		"cut, list, both": {map[string]string{"pypi": "cut.names", "npm": "list.txt"}, []string{"indexes: npm: list.txt: not an index", "indexes: pypi: cut.names: the index is damaged or cut short, its checksum"}},
		"damaged":         {map[string]string{"pypi": "damaged.names"}, []string{"checksum does not match"}},
	} {
		t.Run(name, func(t *testing.T) {
			_, err := New(Options{Indexes: c.indexes}, open)
			require.Equal(t, len(c.want) > 0, err != nil)
			for _, want := range c.want {
				require.ErrorContains(t, err, want)
			}
		})
	}
	_, err := New(Options{Indexes: map[string]string{"pypi": "nowhere"}}, nil)
	require.NoError(t, err, "without a way to open files, options are only checked")
	_, err = New(Options{Indexes: map[string]string{"pypi": "x"}}, func(string) (io.ReadCloser, error) {
		return io.NopCloser(failingReader{}), nil
	})
	require.ErrorIs(t, err, errDisk)
}

var errDisk = errors.New("disk")

type failingReader struct{}

func (failingReader) Read([]byte) (int, error) { return 0, errDisk }

func documentOf(answer string, sources ...string) *detectors.Document {
	doc := new(detectors.Document)
	doc.Reset(detectortest.Sourced(answer, sources...))
	return doc
}
