package rewrite_test

import (
	"context"
	"encoding/json"
	"errors"
	"os"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"confab/detectors/rewrite"
	"confab/schemas"
)

// find is a fake evaluator: the detector "facts" fires on every occurrence of the words.
func find(bad ...string) rewrite.Evaluate {
	return func(_ context.Context, in *schemas.Interaction) (schemas.Flag, error) {
		s := schemas.Signal{Detector: "facts", Outcome: schemas.Clear}
		for _, words := range bad {
			for at := 0; ; {
				n := strings.Index(in.Answer[at:], words)
				if n < 0 {
					break
				}
				at += n
				s.Evidence = append(s.Evidence, schemas.Evidence{Start: at, End: at + len(words), SourceNumber: 1, SourceExcerpt: "The museum opened in 1935.", SourceSays: "1935"})
				at += len(words)
			}
		}
		f := schemas.Flag{Fired: []string{}}
		if len(s.Evidence) > 0 {
			s.Outcome, f.Fired = schemas.Fired, []string{"facts"}
		}
		f.Signals = []schemas.Signal{s}
		return f, nil
	}
}

// revise rewrites an answer in which the words are wrong.
func revise(t *testing.T, mode rewrite.Mode, answer string, bad ...string) rewrite.Result {
	t.Helper()
	in := &schemas.Interaction{Answer: answer, Temperature: schemas.UnknownTemperature}
	f, err := find(bad...)(t.Context(), in)
	require.NoError(t, err)
	r := rewrite.ReviseAnswer(t.Context(), in, &f, rewrite.Options{Mode: mode, Evaluate: find(bad...)})
	require.Equal(t, answer, in.Answer)
	require.Equal(t, answer, r.Original)
	for _, e := range r.Edits {
		require.True(t, 0 <= e.Start && e.Start <= e.End && e.End <= len(answer), "%+v", e)
	}
	return r
}

func TestRemove(t *testing.T) {
	for name, c := range map[string]struct{ answer, bad, want string }{
		"sentence in the middle": {"It opened early. It has XX rooms. Tickets are free.", "XX", "It opened early. Tickets are free."},
		"first sentence":         {"The XX is old. Tickets are free.", "XX", "Tickets are free."},
		"last sentence":          {"Tickets are free. The XX is old.", "XX", "Tickets are free."},
		"citations go along":     {"Tickets are free [1]. The XX is old [2][3]. Dogs stay out. [4]", "XX", "Tickets are free [1]. Dogs stay out. [4]"},
		"wrapped paragraph":      {"The museum shows old paintings of many kinds and a lot of XX\nfrom the north. Tickets are free.", "XX", "Tickets are free."},
		"end of a wrapped line":  {"Tickets are free. The museum shows paintings of many kinds and XX\nfrom the north.\nDogs stay out.", "XX", "Tickets are free. Dogs stay out."},
		"paragraph":              {"First part.\n\nThe XX is old.\n\nLast part.", "XX", "First part.\n\nLast part."},
		"first paragraph":        {"The XX is old.\n\nLast part.\n", "XX", "Last part.\n"},
		"last paragraph":         {"First part.\n\nThe XX is old.\n", "XX", "First part.\n"},
		"windows line ends":      {"First part.\r\n\r\nThe XX is old.\r\n\r\nLast part.\r\n", "XX", "First part.\r\n\r\nLast part.\r\n"},

		"list item":                {"Facts:\n\n- One is good.\n- Two is XX.\n- Three is good.", "XX", "Facts:\n\n- One is good.\n- Three is good."},
		"numbers":                  {"1. One is good.\n2. Two is XX.\n3. Three is good.\n4. Four is good.", "XX", "1. One is good.\n3. Three is good.\n4. Four is good."},
		"numbers with parentheses": {"1) XX is here.\n2) Two is good.", "XX", "2) Two is good."},
		"all numbers one":          {"1. One is good.\n1. Two is XX.\n1. Three is good.", "XX", "1. One is good.\n1. Three is good."},
		"numbered headings":        {"## 1. Alpha\n\nThe XX is old.\n\n## 2. Beta\n\nTickets are free.", "XX", "## 2. Beta\n\nTickets are free."},
		"sentence of an item":      {"- One is good. It has XX rooms. Tickets are free.\n- Two.", "XX", "- Two."},
		"labelled item":            {"- **Rooms:** It has XX rooms. They are big.\n- **Price:** Free.", "XX", "- **Price:** Free."},
		"item with children":       {"- Rooms are XX here.\n  - Big ones.\n  - Small ones.\n- Price is free.", "XX", "- Price is free."},
		"child":                    {"- Rooms are here.\n  - Big XX ones.\n  - Small ones.\n- Price is free.", "XX", "- Rooms are here.\n  - Small ones.\n- Price is free."},
		"item that introduces":     {"1. Rooms:\n   - Big XX ones.\n2. Price is free.", "XX", "2. Price is free."},
		"wrapped item":             {"- One is good and\n  it is old.\n- Two is bad and\n  it is XX.\n- Three.", "XX", "- One is good and\n  it is old.\n- Three."},
		"task list":                {"- [x] One is good.\n- [ ] Two is XX.", "XX", "- [x] One is good."},
		"loose list":               {"- One is good.\n\n- Two is XX.\n\n- Three is good.\n\nEnd.", "XX", "- One is good.\n\n- Three is good.\n\nEnd."},

		"code of an item":                           {"1. List it:\n   ```sh\n   ls\n   ```\n2. The XX needs\n   ```sh\n   rm\n   ```\n3. End it.", "XX", "1. List it:\n   ```sh\n   ls\n   ```\n3. End it."},
		"paragraph of an item":                      {"1. The XX is big.\n\n   It has rooms.\n\n2. End it.", "XX", "2. End it."},
		"numbers before ideographs":                 {"1、房间很大。\n2、花园有XX。\n3、狗不能进入。", "XX", "1、房间很大。\n3、狗不能进入。"},
		"numbers with full stops before ideographs": {"1.房间有XX。\n2.狗不能进入。", "XX", "2.狗不能进入。"},
		"numbers in bold":                           {"**1. Rooms:** They are XX.\n\n**2. Dogs:** They stay out.\n\n**3. Price:** Free.", "XX", "**2. Dogs:** They stay out.\n\n**3. Price:** Free."},
		"decimals are no numbers":                   {"1.5 rooms are XX.\n\n2.5 rooms are free.", "XX", "2.5 rooms are free."},
		"introduction of a list":                    {"Tickets are free. The rooms are these:\n\n- Big XX.\n- Small XX.\n\nDogs stay out.", "XX", "Tickets are free.\n\nDogs stay out."},
		"heading":                                   {"# Museum\n\nTickets are free.\n\n## Rooms\n\n- Big XX.\n\n## Dogs\n\nDogs stay out.", "XX", "# Museum\n\nTickets are free.\n\n## Dogs\n\nDogs stay out."},
		"heading with subheading":                   {"# Museum\n\nFree.\n\n# Rooms\n\n## Big\n\nThe XX is big.\n\n# Dogs\n\nNo dogs.", "XX", "# Museum\n\nFree.\n\n# Dogs\n\nNo dogs."},
		"empty heading stays":                       {"# Museum\n\n## Empty\n\n## Rooms\n\nThe XX is big. Free.", "XX", "# Museum\n\n## Empty\n\n## Rooms\n\nFree."},
		"heading in bold":                           {"**Tickets**\n\nFree.\n\n**Rooms**\n\nThe XX is big.\n\n**Dogs**\n\nNo dogs.", "XX", "**Tickets**\n\nFree.\n\n**Dogs**\n\nNo dogs."},
		"table row":                                 {"Prices:\n\n| what | price |\n|---|---|\n| child | XX |\n| adult | 9 |\n\nEnd.", "XX", "Prices:\n\n| what | price |\n|---|---|\n| adult | 9 |\n\nEnd."},
		"whole table":                               {"Free entry.\n\nPrices:\n\n| what | price |\n|---|---|\n| child | XX |\n\nEnd.", "XX", "Free entry.\n\nEnd."},
		"head of a table":                           {"Free entry.\n\n| what | XX |\n|---|---|\n| child | 3 |\n\nEnd.", "XX", "Free entry.\n\nEnd."},
		"quotation":                                 {"> Tickets are free.\n> The XX is big.\n\nEnd.", "XX", "> Tickets are free.\n\nEnd."},
		"sentence of a quotation":                   {"> Tickets are free. The XX is big.\n\nEnd.", "XX", "> Tickets are free.\n\nEnd."},
		"footnote that is used again":               {"Free entry.[^1] The XX is big.[^1]\n\n[^1]: A page.", "XX", "Free entry.[^1]\n\n[^1]: A page."},
		"code stays":                                {"Run this:\n\n```sh\nls\n\n# XX is no claim\n```\n\nThe YY is big.", "YY", "Run this:\n\n```sh\nls\n\n# XX is no claim\n```"},
		"inline code":                               {"Use `a. b` here. The XX is `big. old`. End.", "XX", "Use `a. b` here. End."},
		"link":                                      {"See [the page](https://x.example/a). The [XX](https://x.example/b) is big. End.", "XX", "See [the page](https://x.example/a). End."},
		"link at the end":                           {"Tickets are free.\nThe XX is at [home](https://x.example/b)\nEnd.", "XX", "Tickets are free.\nEnd."},
		"reasoning stays":                           {"<think>The XX is big.</think>Tickets are free. The YY is big.", "YY", "<think>The XX is big.</think>Tickets are free."},
		"emphasis of a sentence":                    {"Tickets are free. **The XX is big.** End.", "XX", "Tickets are free. End."},
		"quoted sentences":                          {"She said: “The XX is big. Go there.” Tickets are free.", "XX", "Tickets are free."},
		"German quotation":                          {"Sie sagte: „Das XX ist groß. Geht hin.“ Der Eintritt ist frei.", "XX", "Der Eintritt ist frei."},
		"German quotation, typed":                   {"Sie sagte: „Das XX ist groß. Geht hin.” Der Eintritt ist frei.", "XX", "Der Eintritt ist frei."},
		"end of a quotation":                        {"Tickets are free. She said: “Go there. The XX is big.” Dogs stay out.", "XX", "Tickets are free. Dogs stay out."},
		"straight quotes":                           {"She said: \"The XX is big. Go there.\" Tickets are free.", "XX", "Tickets are free."},
		"parentheses":                               {"Tickets are free (for some. The XX is big). Dogs stay out.", "XX", "Dogs stay out."},
		"inches are no quotes":                      {"The XX is 5\" big. Tickets are free.", "XX", "Tickets are free."},
		"no letters but figures are kept":           {"42\n\nThe XX is big.", "XX", "42"},
	} {
		t.Run(name, func(t *testing.T) {
			r := revise(t, rewrite.ModeRemove, c.answer, c.bad)
			require.Equal(t, rewrite.StatusRewritten, r.Status, r.Reason)
			require.Equal(t, c.want, r.Answer)
			require.Equal(t, rewrite.VerdictClear, r.After.Verdict)
			require.Equal(t, rewrite.MeasuredAnswer, r.After.Measured)
		})
	}
}

// The sentences around a removed one stay, whatever they begin with.
func TestOthersStay(t *testing.T) {
	for answer, want := range map[string]string{
		"Entry is free. The XX is big. However, the rooms are dark.": "Entry is free. However, the rooms are dark.",
		"The museum is old. It has XX rooms. It is free.":            "The museum is old. It is free.",
		"Entry is free.\n\nThe XX is big.\n\nIt has a café.":         "Entry is free.\n\nIt has a café.",
		"博物馆对所有人免费开放。花园的XX很大。它非常古老。狗不能进入。":                           "博物馆对所有人免费开放。它非常古老。狗不能进入。",
	} {
		r := revise(t, rewrite.ModeRemove, answer, "XX")
		require.Equal(t, rewrite.StatusRewritten, r.Status, r.Reason)
		require.Equal(t, want, r.Answer)
	}
}

func TestEmptyAnswers(t *testing.T) {
	for name, answer := range map[string]string{
		"one sentence":     "The XX is big.",
		"introduction":     "Sure! Here is the answer:\n\n- XX is big.\n\nAnything else?",
		"heading":          "# Rooms\n\nThe XX is big.",
		"only white space": "\n\n  The XX is big. \n\n",
	} {
		t.Run(name, func(t *testing.T) {
			r := revise(t, rewrite.ModeRemove, answer, "XX")
			require.Equal(t, rewrite.StatusRewritten, r.Status, r.Reason)
			require.Equal(t, rewrite.EmptyAnswer, r.Answer)
			require.Contains(t, r.Edits, rewrite.Edit{End: len(answer), Action: "replaced"})
		})
	}
	in := &schemas.Interaction{Answer: "The XX is big."}
	f, _ := find("XX")(t.Context(), in)
	r := rewrite.ReviseAnswer(t.Context(), in, &f, rewrite.Options{Mode: rewrite.ModeRemove, EmptyAnswer: "Ask us.", Evaluate: find("XX")})
	require.Equal(t, "Ask us.", r.Answer)
	r = rewrite.ReviseAnswer(t.Context(), in, &f, rewrite.Options{Mode: rewrite.ModeRemove, EmptyAnswer: "Ask XX.", Evaluate: find("XX")})
	require.Equal(t, rewrite.StatusFailed, r.Status)
	require.Equal(t, rewrite.ReasonEmptyFires, r.Reason)
	require.Empty(t, r.Answer)
}

func TestRefusals(t *testing.T) {
	for name, c := range map[string]struct{ answer, want string }{
		"fenced code":      {"Run:\n\n```sh\nrm XX\n```\n", rewrite.ReasonCode},
		"open fence":       {"Run:\n\n~~~\nrm XX", rewrite.ReasonCode},
		"fence in an item": {"- Run:\n  ```\n  rm XX\n  ```\n", rewrite.ReasonCode},
		"HTML":             {"<p>Tickets are free.</p><ul><li>Two is XX.</li></ul>", rewrite.ReasonMarkup},
		"formula":          {"It is:\n\n$$\nx = XX\n$$\n", rewrite.ReasonCode},
		"formula of LaTeX": {"It is:\n\n\\[\nx = XX\n\\]\n", rewrite.ReasonCode},
		"object":           {`{"rooms": "XX"}`, rewrite.ReasonStructured},
		"array":            {`[1, 2, "XX"]`, rewrite.ReasonStructured},
		"lines of JSON":    {"{\"a\": 1}\n{\"a\": \"XX\"}", rewrite.ReasonStructured},
		"cut-off JSON":     {`{"rooms": ["XX", `, rewrite.ReasonStructured},
		"XML":              {"<rooms><room>XX</room></rooms>", rewrite.ReasonMarkup},
		"XML declaration":  {"<?xml version=\"1.0\"?><p>XX</p>", rewrite.ReasonMarkup},
		"too large":        {"The XX is big. " + strings.Repeat("a", 1<<20), rewrite.ReasonSize},
	} {
		t.Run(name, func(t *testing.T) {
			for _, mode := range rewrite.Modes() {
				r := revise(t, mode, c.answer, "XX")
				require.Equal(t, rewrite.StatusFailed, r.Status)
				require.Equal(t, c.want, r.Reason)
				require.Empty(t, r.Answer)
				require.Empty(t, r.Edits)
			}
		})
	}
	for _, prose := range []string{"[1] says that XX.", "{x} is XX.", "Note: XX is big. Other: yes.", "Name: Anna Lang\nRooms: XX of them.", "<p>The XX.</p>", "[^1] XX"} {
		require.NotEqual(t, rewrite.ReasonStructured, revise(t, rewrite.ModeRemove, prose, "XX").Reason, prose)
	}
	f, _ := find("XX")(t.Context(), &schemas.Interaction{Answer: "The XX is big."})
	for _, in := range []schemas.Interaction{{ResponseSchema: "{}"}, {Malformed: []string{schemas.FieldResponseSchema}}} {
		in.Answer = "The XX is big."
		r := rewrite.ReviseAnswer(t.Context(), &in, &f, rewrite.Options{Mode: rewrite.ModeRemove, Evaluate: find("XX")})
		require.Equal(t, rewrite.ReasonSchema, r.Reason)
	}
	f.Signals = append(f.Signals, schemas.Signal{Detector: "schema", Type: schemas.Format, Outcome: schemas.Clear})
	r := rewrite.ReviseAnswer(t.Context(), &schemas.Interaction{Answer: "The XX is big."}, &f, rewrite.Options{Mode: rewrite.ModeRemove, Evaluate: find("XX")})
	require.Equal(t, rewrite.ReasonSchema, r.Reason, "the schema of the operation")
}

func TestFailures(t *testing.T) {
	in := &schemas.Interaction{Answer: "One is XX. Two is YY. Three is ZZ. Four is VV. Five."}
	flagOf := func(evidence ...schemas.Evidence) *schemas.Flag {
		return &schemas.Flag{Fired: []string{"facts"}, Signals: []schemas.Signal{{Detector: "facts", Outcome: schemas.Fired, Evidence: evidence}}}
	}
	place := schemas.Evidence{Start: 7, End: 9}
	revised := func(f *schemas.Flag, e rewrite.Evaluate) rewrite.Result {
		return rewrite.ReviseAnswer(t.Context(), in, f, rewrite.Options{Mode: rewrite.ModeRemove, Evaluate: e})
	}
	for name, evidence := range map[string][]schemas.Evidence{
		"none": nil, "no place": {{Start: schemas.NoPlace, End: schemas.NoPlace}}, "empty": {{Start: 3, End: 3}}, "beyond": {{Start: 900, End: 901}}, "reversed": {{Start: 9, End: 7}},
	} {
		r := revised(flagOf(evidence...), find("XX"))
		require.Equal(t, rewrite.ReasonNoPlace, r.Reason, name)
		require.Zero(t, r.Rounds, name)
	}

	// One new fault is found in each round, and there are more than rounds.
	next := func(_ context.Context, in *schemas.Interaction) (schemas.Flag, error) {
		for _, bad := range []string{"XX", "YY", "ZZ", "VV"} {
			if at := strings.Index(in.Answer, bad); at >= 0 {
				return *flagOf(schemas.Evidence{Start: at, End: at + 2}), nil
			}
		}
		return schemas.Flag{}, nil
	}
	r := revised(flagOf(place), next)
	require.Equal(t, rewrite.StatusFailed, r.Status)
	require.Equal(t, rewrite.ReasonStillFires, r.Reason)
	require.Equal(t, rewrite.MaxRounds, r.Rounds)
	require.Equal(t, rewrite.VerdictFired, r.After.Verdict)
	in.Answer = strings.ReplaceAll(in.Answer, "VV", "fine")
	r = revised(flagOf(place), next)
	require.Equal(t, rewrite.StatusRewritten, r.Status)
	require.Equal(t, 3, r.Rounds)
	require.Equal(t, "Four is fine. Five.", r.Answer)
	require.Len(t, r.Edits, 3)
	require.Equal(t, rewrite.Edit{Start: 11, End: 21, Action: "removed", Because: "flagged", Detectors: []string{"facts"}}, r.Edits[1])

	r = revised(flagOf(place), func(context.Context, *schemas.Interaction) (schemas.Flag, error) {
		return schemas.Flag{}, errors.New("no time")
	})
	require.Equal(t, rewrite.ReasonMeasured, r.Reason)
	r = revised(flagOf(place), func(context.Context, *schemas.Interaction) (schemas.Flag, error) {
		return schemas.Flag{Signals: []schemas.Signal{{Detector: "facts", Outcome: schemas.Skipped}}}, nil
	})
	require.Equal(t, rewrite.ReasonMeasured, r.Reason, "a detector that fired was skipped")

	r = revised(flagOf(place), func(context.Context, *schemas.Interaction) (schemas.Flag, error) { panic(in.Answer) })
	require.Equal(t, rewrite.StatusFailed, r.Status)
	require.Equal(t, rewrite.ReasonPanic, r.Reason)
	require.Empty(t, r.Edits)

	r = revised(&schemas.Flag{}, nil)
	require.Equal(t, rewrite.StatusUnchanged, r.Status)
	require.Equal(t, in.Answer, r.Answer)
	require.Zero(t, r.Rounds)
}

// The token probabilities of what is kept are measured again.
func TestLogprobs(t *testing.T) {
	in := &schemas.Interaction{Answer: "One is good. Two is XX. Three.", Logprobs: schemas.Logprobs{TopK: 1, Values: []float32{-1, -2, -3, -4, -5, -6}, Offsets: []int32{0, 13, 24}}}
	f, _ := find("XX")(t.Context(), in)
	seen := schemas.Logprobs{}
	measure := func(ctx context.Context, in *schemas.Interaction) (schemas.Flag, error) {
		seen = in.Logprobs
		return find("XX")(ctx, in)
	}
	o := rewrite.Options{Mode: rewrite.ModeRemove, Evaluate: measure}
	rewrite.ReviseAnswer(t.Context(), in, &f, o)
	require.Equal(t, schemas.Logprobs{TopK: 1, Values: []float32{-1, -2, -5, -6}, Offsets: []int32{0, 13}}, seen)
	require.Len(t, in.Logprobs.Offsets, 3)
	in.Logprobs.Offsets = nil
	rewrite.ReviseAnswer(t.Context(), in, &f, o)
	require.Equal(t, schemas.Logprobs{}, seen)
}

// The example of docs/rewriting.md is what comes out.
func TestDocumentedResult(t *testing.T) {
	page, err := os.ReadFile(rewritingPage)
	require.NoError(t, err)
	_, rest, _ := strings.Cut(string(page), "```json\n")
	example, _, _ := strings.Cut(rest, "```")
	var want rewrite.Result
	require.NoError(t, json.Unmarshal([]byte(example), &want))
	got := revise(t, rewrite.ModeRemove, want.Original, "1937")
	want.After.Risk, want.After.Recommendation = nil, ""
	require.Equal(t, want, got)
}
