package standard_test

import (
	"context"
	"fmt"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"confab/detectors/faithfulness"
	"confab/internal/golden"
	"confab/internal/llm"
	"confab/internal/llm/llmtest"
	"confab/sampling"
	"confab/schemas"
)

const (
	bridge      = "The bridge opened in May 1932. It is 1149 meters long and carries eight lanes."
	bridgeWrong = "The bridge opened in May 1932. It is 1250 meters long and carries eight lanes."
)

func bridgeSource() []schemas.Source {
	return []schemas.Source{{ID: "a", Text: "The bridge opened in May 1932. It is 1149 meters long and carries eight lanes. It was painted gray."}}
}

func interaction(answer string, sources ...schemas.Source) *schemas.Interaction {
	return &schemas.Interaction{
		ID: "x", Tenant: "default", Answer: answer, Sources: sources,
		Messages: []schemas.Message{{Role: "user", Content: "Tell me about the bridge."}},
	}
}

type deepOutcome struct {
	name string
	in   *schemas.Interaction
	deepFixture
}

func consistencyOutcomes() []deepOutcome {
	deep := onlyDetector("consistency")
	row := func(name, answer string, fresh ...string) deepOutcome {
		return deepOutcome{name, interaction(answer), deepFixture{entries: deep, samples: fresh}}
	}
	with := func(o deepOutcome, change func(*deepOutcome)) deepOutcome { change(&o); return o }
	const sorry = "I'm sorry, but I cannot help with that."
	refused := func(_ context.Context, _ int) error { return schemas.BudgetSpent }
	return []deepOutcome{
		row("all say the same", bridge, bridge),
		row("another figure each time", bridgeWrong, "The bridge opened in July 1930. It is 1100 meters long and carries eight lanes.",
			"The bridge opened in June 1931. It is 900 meters long and carries six lanes.", "It opened in 1940, is 2 km long and carries four lanes."),
		row("another subject", bridge, "I like cats and dogs a lot, they are furry.", "Paris is the capital of France and a large city."),
		row("a value, the same", "1932", "1932", "1932.", "It was 1932"),
		row("a value, others", "1932", "1940", "1887", "1901"),
		row("a value of stop words", "I", "I", "i", "Fe", "I"),
		row("the model refuses", bridge, sorry),
		row("two of four refuse", bridge, sorry, bridge),
		row("three of four refuse", bridge, sorry, sorry, sorry, bridge),
		row("no words", bridge, "", " ", "", "\n"),
		row("one answer left", bridge, "", bridge, "", ""),
		row("the answer is a refusal", sorry, bridge),
		row("they agree on something else", "Penguins swallow pebbles whenever volcanoes erupt.", bridge),
		row("another language", bridge, "Die Brücke wurde im Jahr 1932 für den Verkehr geöffnet und ist sehr lang, so sagt man es hier."),
		with(row("no messages", bridge, bridge), func(o *deepOutcome) { o.in.Messages = nil }),
		with(row("no model", bridge), func(o *deepOutcome) { o.noModels = true }),
		with(row("a server that ignores n", bridge, bridge), func(o *deepOutcome) { o.ignoreN = true }),
		with(row("an embedder", bridge, bridge, "Cats are furry animals."), func(o *deepOutcome) { o.embedder = true }),
		with(row("an embedder that fails", bridge), func(o *deepOutcome) {
			o.embedder = true
			o.script = []llmtest.Reply{chatReply(bridge, bridge), {Status: 401, Body: "{}"}}
		}),
		with(row("cut off before it says as much", bridge), func(o *deepOutcome) {
			o.script = []llmtest.Reply{{Body: `{"choices":[{"message":{"content":"The bridge"},"finish_reason":"length"},` +
				`{"message":{"content":"` + bridge + `"},"finish_reason":"length"},{"message":{"content":"` + bridge + `"},"finish_reason":"stop"},` +
				`{"message":{"content":null,"refusal":"no"},"finish_reason":"stop"}]}`}}
		}),
		with(row("the server fails", bridge), func(o *deepOutcome) { o.script = []llmtest.Reply{{Status: 500, Times: -1}} }),
		with(row("the key is refused", bridge), func(o *deepOutcome) { o.script = []llmtest.Reply{{Status: 401, Body: "{}", Times: -1}} }),
		with(row("the budget is spent", bridge), func(o *deepOutcome) { o.gate = refused }),
		with(row("the tenant has opted out", bridge), func(o *deepOutcome) {
			o.gate = func(context.Context, int) error { return schemas.OptedOut }
		}),
	}
}

func chatReply(texts ...string) llmtest.Reply {
	var list []string
	for _, t := range append(texts, texts...) {
		list = append(list, fmt.Sprintf(`{"message":{"content":%q},"finish_reason":"stop"}`, t))
	}
	return llmtest.Reply{Body: `{"choices":[` + strings.Join(list, ",") + `]}`}
}

func faultOutcomes() []deepOutcome {
	row := func(name string, change func(*deepOutcome)) deepOutcome {
		o := deepOutcome{name, interaction(bridge, bridgeSource()...), deepFixture{entries: onlyDetector("faithfulness")}}
		change(&o)
		return o
	}
	lists := func(name string, more ...fault) deepOutcome {
		return row("faults: "+name, func(o *deepOutcome) {
			o.in.Answer = bridgeWrong
			o.faults = func(p judgePrompt) string { return faultJSON(append(canaryFault(p), more...)...) }
		})
	}
	says := func(name string, reply func(p judgePrompt) string) deepOutcome {
		return row("faults: "+name, func(o *deepOutcome) { o.in.Answer, o.faults = bridgeWrong, reply })
	}
	is := func(quote, stance string, p float64) fault {
		return fault{Quote: quote, Stance: stance, Source: "1", Instead: "1149 meters long", Material: true, Probability: p}
	}
	const wrong = "It is 1250 meters long"
	immaterial := is(wrong, "contradicted", .9)
	immaterial.Material = false
	byUser := fault{Quote: wrong, Stance: "contradicted", Instead: "you said 1149", Material: true, Probability: .9}
	elsewhere := is(wrong, "contradicted", .9)
	elsewhere.Source = "17"
	return []deepOutcome{
		row("faults: supported", func(*deepOutcome) {}),
		row("faults: a wrong figure", func(o *deepOutcome) { o.in.Answer = bridgeWrong }),
		row("faults: no sources, compared with sampled responses", func(o *deepOutcome) { o.in.Sources, o.samples = nil, []string{bridge} }),
		row("faults: no sources, contradicted by sampled responses", func(o *deepOutcome) {
			o.in.Sources, o.in.Answer, o.samples = nil, bridgeWrong, []string{bridge}
		}),
		row("faults: no sources, no sampled responses", func(o *deepOutcome) { o.in.Sources = nil }),
		row("faults: no claims", func(o *deepOutcome) { o.in.Answer = "What would you like to know?" }),
		row("faults: no model", func(o *deepOutcome) { o.noModels = true }),
		lists("the quote in other marks and capitals", is("it IS **1250** meters\nlong", "contradicted", .9)),
		lists("the quote with an ellipsis", is("It is 1250 … eight lanes", "contradicted", .9)),
		lists("unlikely", is(wrong, "contradicted", .4)),
		lists("unsupported", is(wrong, "unsupported", .9)),
		lists("a wrong marker", is("It is 1250", "wrong_citation", .9)),
		lists("an unknown stance", is(wrong, "made up", .9)),
		lists("the user says otherwise", byUser),
		lists("of a source that there is not", elsewhere),
		lists("immaterial", immaterial),
		lists("the likeliest first", is("in May 1932", "unsupported", .5), is(wrong, "contradicted", .9)),
		lists("contradictory", is(wrong, "contradicted", .9), is(wrong, "contradicted", 0)),
		lists("an empty quote", is("", "contradicted", .9)),
		lists("a quote that is not in the answer", is("It is 1250 feet wide", "contradicted", .9)),
		lists("an unlikely one that is not in the answer", is("It is 1250 feet wide", "contradicted", .1)),
		lists("a quote in another language", is("Sie ist 1250 Meter lang", "contradicted", .9)),
		lists("a thousand", slices.Repeat([]fault{is(wrong, "contradicted", .9)}, 1000)...),
		says("all fine, also the canary", func(judgePrompt) string { return faultJSON() }),
		says("the canary with probability 0", func(p judgePrompt) string {
			list := canaryFault(p)
			list[0].Probability = 0
			return faultJSON(list...)
		}),
		says("the whole answer, the canary within", func(p judgePrompt) string { return faultJSON(is(p.answer, "contradicted", .9)) }),
		says("the canary, and the whole answer", func(p judgePrompt) string {
			return faultJSON(append(canaryFault(p), is(p.answer, "contradicted", .9))...)
		}),
		says("in a Markdown fence", func(p judgePrompt) string { return "```json\n" + honestFaults(p) + "\n```" }),
		says("prose before the JSON", func(p judgePrompt) string { return "Here you are: " + honestFaults(p) }),
		says("a refusal in words", func(judgePrompt) string { return "I cannot judge this." }),
		says("probability in words", func(judgePrompt) string { return `{"faults":[{"quote":"It","probability":"high"}]}` }),
		says("verdicts that the answer asked for", func(judgePrompt) string { return `{"verdicts":[{"index":1,"verdict":1}]}` }),
		row("faults: cut off", func(o *deepOutcome) {
			o.script = []llmtest.Reply{{Body: `{"choices":[{"message":{"content":"{\"faults\":[]}"},"finish_reason":"length"}]}`}}
		}),
		row("faults: refused", func(o *deepOutcome) {
			o.script = []llmtest.Reply{{Body: `{"choices":[{"message":{"content":null,"refusal":"I cannot"},"finish_reason":"stop"}]}`}}
		}),
		row("faults: the server hangs up", func(o *deepOutcome) { o.script = []llmtest.Reply{{Reset: true, Times: -1}} }),
		row("faults: the budget is spent", func(o *deepOutcome) { o.gate = gateAfter(0) }),
	}
}

// canaryFault is what a judge lists that finds the canary statement alone.
func canaryFault(p judgePrompt) []fault {
	for paragraph := range strings.SplitSeq(p.answer, "\n\n") {
		if regexp.MustCompile(`\b\d{5}\b`).MatchString(paragraph) {
			return []fault{{Quote: paragraph, Stance: "contradicted", Source: "1", Material: true, Probability: .9}}
		}
	}
	return nil
}

// conversationOutcomes are answers without sources after an earlier answer: a judge of faults compares them with that alone.
func conversationOutcomes() []deepOutcome {
	row := func(name string, change func(*deepOutcome), more ...fault) deepOutcome {
		o := deepOutcome{"conversation: " + name, interaction(bridgeWrong), deepFixture{entries: onlyDetector("faithfulness"), samples: []string{bridge}}}
		o.in.Messages = append(o.in.Messages, schemas.Message{Role: "Assistant", Content: bridge}, schemas.Message{Role: "user", Content: "Once more?"})
		o.faults = func(p judgePrompt) string { return faultJSON(append(canaryFault(p), more...)...) }
		if change != nil {
			change(&o)
		}
		return o
	}
	is := func(quote, stance string) fault {
		return fault{Quote: quote, Stance: stance, Instead: "1149 meters long", Material: true, Probability: .9}
	}
	const wrong = "It is 1250 meters long"
	return []deepOutcome{
		row("as before", nil),
		row("it says otherwise", nil, is(wrong, "contradicted")),
		row("it says nothing", nil, is(wrong, "unsupported"), is("in May 1932", "wrong_citation"), is("It is painted gray", "unsupported")),
		row("a quote that is not in the answer", nil, is("It is 1250 feet wide", "contradicted")),
		row("the canary is not listed", func(o *deepOutcome) { o.faults = func(judgePrompt) string { return faultJSON() } }),
		row("sources decide", func(o *deepOutcome) { o.in.Sources = bridgeSource() }, is(wrong, "unsupported")),
		row("the earlier answer has no text", func(o *deepOutcome) { o.in.Messages[1].Content = "\n" }),
		row("the application alone spoke", func(o *deepOutcome) { o.in.Messages[1].Role = "system" }),
		row("a judge of statements", func(o *deepOutcome) { o.byStatement = true }),
		row("entailment", func(o *deepOutcome) { o.entries = onlyDetector("entailment") }),
	}
}

func statementOutcomes() []deepOutcome {
	deep := onlyDetector("faithfulness")
	row := func(name string, change func(*deepOutcome)) deepOutcome {
		o := deepOutcome{name, interaction(bridge, bridgeSource()...), deepFixture{entries: deep, byStatement: true}}
		change(&o)
		return o
	}
	says := func(name string, reply func(p judgePrompt) string) deepOutcome {
		return row("verdicts: "+name, func(o *deepOutcome) { o.verdicts = reply })
	}
	changed := func(name string, change func(list []verdict) []verdict) deepOutcome {
		return says(name, func(p judgePrompt) string {
			return verdictJSON(change(eachVerdict(p, func(s string) int { return boolToInt(allWords(s, strings.Join(p.sources, " "))) })))
		})
	}
	outside := func(o *deepOutcome) {
		o.verdicts = func(p judgePrompt) string {
			list := eachVerdict(p, func(string) int { return 0 })
			for i := range list {
				list[i].Outside = true
			}
			return verdictJSON(list)
		}
	}
	count := faithfulness.DefaultOptions()
	count.ExcludeOutOfScope = false
	return []deepOutcome{
		row("supported", func(*deepOutcome) {}),
		row("a wrong figure", func(o *deepOutcome) { o.in.Answer = bridgeWrong }),
		row("several sources", func(o *deepOutcome) {
			o.in.Sources = []schemas.Source{{Text: "The bridge opened in May 1932."}, {Text: "It is 1149 meters long and carries eight lanes."}}
		}),
		row("no sources, compared with sampled responses", func(o *deepOutcome) { o.in.Sources, o.samples = nil, []string{bridge} }),
		row("no sources, contradicted by sampled responses", func(o *deepOutcome) {
			o.in.Sources, o.in.Answer, o.samples = nil, bridgeWrong, []string{bridge}
		}),
		row("no sources, no sampled responses", func(o *deepOutcome) { o.in.Sources = nil }),
		row("no claims", func(o *deepOutcome) { o.in.Answer = "What would you like to know?" }),
		row("no model", func(o *deepOutcome) { o.noModels = true }),
		row("the judge lists nothing", func(o *deepOutcome) {
			o.in.Answer, o.statements = bridgeWrong, func(string) string { return statementsJSON() }
		}),
		row("the judge lists the true part, many times", func(o *deepOutcome) {
			o.in.Answer = bridgeWrong
			o.statements = func(string) string {
				return statementsJSON("The bridge opened in May 1932.", "The bridge opened in May 1932.", "Water is wet and snow is cold.", "The bridge opened in 1932.")
			}
		}),
		row("the judge mends a figure", func(o *deepOutcome) {
			o.in.Answer, o.statements = bridgeWrong, func(string) string { return statementsJSON(strings.SplitAfter(bridge, ". ")...) }
		}),
		row("German, statements in English", func(o *deepOutcome) {
			o.in.Answer = "Die Brücke wurde im Mai 1932 eröffnet und ist 1149 Meter lang."
			o.statements = func(string) string { return statementsJSON("The bridge was opened in May of 1932.") }
			o.verdicts = func(p judgePrompt) string {
				return verdictJSON(eachVerdict(p, func(s string) int { return boolToInt(strings.Contains(s, "1149")) }))
			}
		}),
		says("in a Markdown fence", func(p judgePrompt) string { return "```json\n" + honestVerdicts(p) + "\n```" }),
		says("prose before the JSON", func(p judgePrompt) string { return "Here you are: " + honestVerdicts(p) }),
		says("two objects", func(p judgePrompt) string { return honestVerdicts(p) + "{}" }),
		says("a refusal in words", func(judgePrompt) string { return "I cannot judge this." }),
		says("all faithful, also the canary", obedientVerdicts),
		says("an empty object", func(judgePrompt) string { return "{}" }),
		says("null", func(judgePrompt) string { return `{"verdicts":null}` }),
		says("words for numbers", func(judgePrompt) string { return `{"verdicts":[{"index":0,"verdict":"yes"}]}` }),
		changed("one index twice", func(l []verdict) []verdict { l[1].Index = 1; return l }),
		changed("one missing", func(l []verdict) []verdict { return l[1:] }),
		changed("one too many", func(l []verdict) []verdict { return append(l, verdict{Index: len(l) + 1, Verdict: 1}) }),
		changed("an index of 0", func(l []verdict) []verdict { l[0].Index = 0; return l }),
		changed("a confidence of 7", func(l []verdict) []verdict { l[0].Confidence = 7; return l }),
		changed("a verdict of 2", func(l []verdict) []verdict { l[0].Verdict = 2; return l }),
		changed("in another order", func(l []verdict) []verdict { l[0], l[1] = l[1], l[0]; return l }),
		says("one out of scope, one unfaithful", func(p judgePrompt) string {
			list := eachVerdict(p, func(string) int { return 0 })
			for i, s := range p.statements {
				list[i].Outside = strings.Contains(s, "long")
			}
			return verdictJSON(list)
		}),
		row("verdicts: all out of scope", outside),
		row("verdicts: all out of scope, which counts", func(o *deepOutcome) {
			outside(o)
			o.settings = map[string]any{"faithfulness": &count}
		}),
		row("statements: not JSON", func(o *deepOutcome) { o.statements = func(string) string { return "none" } }),
		row("statements: cut off", func(o *deepOutcome) {
			o.script = []llmtest.Reply{{Body: `{"choices":[{"message":{"content":"{\"statements\":[]}"},"finish_reason":"length"}]}`}}
		}),
		row("statements: refused", func(o *deepOutcome) {
			o.script = []llmtest.Reply{{Body: `{"choices":[{"message":{"content":null,"refusal":"I cannot"},"finish_reason":"stop"}]}`}}
		}),
		row("the server hangs up", func(o *deepOutcome) { o.script = []llmtest.Reply{{Reset: true, Times: -1}} }),
		row("the budget ends after the statements", func(o *deepOutcome) { o.gate = gateAfter(1) }),
	}
}

// gateAfter returns a gate that allows n requests.
func gateAfter(n int) sampling.Gate {
	return func(context.Context, int) error {
		if n--; n < 0 {
			return schemas.BudgetSpent
		}
		return nil
	}
}

func entailmentOutcomes() []deepOutcome {
	row := func(name string, change func(*deepOutcome)) deepOutcome {
		o := deepOutcome{name, interaction(bridge, bridgeSource()...), deepFixture{entries: onlyDetector("entailment")}}
		change(&o)
		return o
	}
	labels := func(name, list string) deepOutcome {
		return row("verifier: "+name, func(o *deepOutcome) {
			o.verifier, o.in.Answer = llm.KindNLI, "The bridge opened in May 1932."
			o.script = []llmtest.Reply{{Body: "[[" + list + "]]"}}
		})
	}
	says := func(kind llm.Kind, name, reply string) deepOutcome {
		return row(string(kind)+": "+name, func(o *deepOutcome) {
			o.verifier, o.in.Answer = kind, "The bridge opened in May 1932."
			o.script = []llmtest.Reply{{Body: reply}}
		})
	}
	all := func(relation string) func(o *deepOutcome) {
		return func(o *deepOutcome) {
			o.relations = func(p judgePrompt) string { return relationJSON(p, func(string, string) string { return relation }) }
		}
	}
	return []deepOutcome{
		row("entailed", func(*deepOutcome) {}),
		row("contradicted", func(o *deepOutcome) { o.in.Answer = bridgeWrong }),
		row("nothing to do with the sources", func(o *deepOutcome) { o.in.Answer = "Penguins swallow pebbles whenever volcanoes erupt." }),
		row("all entailed, also the canary pair", all("entailment")),
		row("all neutral", all("neutral")),
		row("all contradicted", all("contradiction")),
		row("an unknown relation", all("maybe")),
		row("no sources, compared with sampled responses", func(o *deepOutcome) { o.in.Sources, o.in.Answer, o.samples = nil, bridgeWrong, []string{bridge} }),
		row("no sources, no sampled responses", func(o *deepOutcome) { o.in.Sources = nil }),
		row("with consistency", func(o *deepOutcome) {
			o.entries, o.samples = append(onlyDetector("consistency"), onlyDetector("entailment")...), []string{bridge}
		}),
		row("no model", func(o *deepOutcome) { o.noModels = true }),
		row("verifier", func(o *deepOutcome) { o.verifier = llm.KindNLI }),
		row("verifier, one claim without a source", func(o *deepOutcome) {
			o.verifier, o.in.Answer = llm.KindNLI, bridge+" Penguins swallow pebbles whenever volcanoes erupt."
		}),
		labels("a contradiction", `{"label":"CONTRADICTION","score":0.9},{"label":"NEUTRAL","score":0.08},{"label":"ENTAILMENT","score":0.02}`),
		labels("neutral, not contradicted", `{"label":"neutral","score":0.96},{"label":"contradiction","score":0.02},{"label":"entailment","score":0.02}`),
		labels("two classes", `{"label":"not_entailment","score":0.9},{"label":"entailment","score":0.1}`),
		labels("labels of another task", `{"label":"POSITIVE","score":0.9},{"label":"NEGATIVE","score":0.1}`),
		labels("no probability", `{"label":"entailment","score":0},{"label":"neutral","score":0},{"label":"contradiction","score":0}`),
		labels("NaN", `{"label":"entailment","score":NaN}`),
		says(llm.KindNLI, "fewer lists than pairs", `[]`),
		says(llm.KindRerank, "supported", `[{"index":0,"score":2.2}]`),
		says(llm.KindRerank, "not supported", `[{"index":0,"score":-2.2}]`),
		says(llm.KindRerank, "no score", `[]`),
		says(llm.KindHHEM, "beyond 1", `{"score":4.2}`),
		says(llm.KindHHEM, "not supported", `{"score":0.05}`),
		says(llm.KindMini, "no", `{"choices":[{"message":{"content":"No"}}]}`),
		says(llm.KindMini, "neither", `{"choices":[{"message":{"content":"Hm."}}]}`),
		says(llm.KindGuardian, "no risk", `{"choices":[{"message":{"content":"<score> no </score>"}}]}`),
		says(llm.KindLettuce, "a part", `{"predictions":[{"start":21,"end":29,"hallucination_score":0.93},{"start":0,"end":3,"hallucination_score":0.5}]}`),
		says(llm.KindLettuce, "nothing", `{"predictions":[]}`),
		says(llm.KindLettuce, "beyond the claim", `{"predictions":[{"start":21,"end":99}]}`),
		row("verifier: the tenant has opted out", func(o *deepOutcome) {
			o.verifier, o.gate = llm.KindNLI, func(context.Context, int) error { return schemas.OptedOut }
		}),
	}
}

// TestDeepOutcomes lists the outcomes of answers, replies and failures: never clear when nothing was judged.
func TestDeepOutcomes(t *testing.T) {
	var b strings.Builder
	for _, group := range [][]deepOutcome{consistencyOutcomes(), faultOutcomes(), conversationOutcomes(), statementOutcomes(), entailmentOutcomes()} {
		for i := range group {
			o := &group[i]
			s, server := o.suite(t)
			e := s.Evaluate(t.Context(), o.in)
			fmt.Fprintf(&b, "%s (%d requests)\n%s\n", o.name, len(server.Requests()), formatSignals(e.Flag(schemas.Origin{}, schemas.PassDeep, time.Time{})))
			e.Release()
		}
	}
	golden.Equal(t, "testdata/deep_outcomes.golden", b.String())
}
