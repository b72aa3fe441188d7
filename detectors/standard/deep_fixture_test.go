package standard_test

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"log/slog"
	"maps"
	"math/rand/v2"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"confab/calibration"
	"confab/detectors"
	"confab/detectors/deep"
	"confab/detectors/standard"
	"confab/internal/llm"
	"confab/internal/llm/llmtest"
	"confab/sampling"
	"confab/schemas"
)

// deepFixture configures a fake server for sampler, judge, comparer, embedder and verifier, and a suite that uses it.
type deepFixture struct {
	samples    []string                   // the sampled responses, in turn
	statements func(answer string) string // reply to the first call of the judge; nil: one statement per sentence
	verdicts   func(p judgePrompt) string // reply to the second; nil: honest
	faults     func(p judgePrompt) string // reply in mode faults; nil: honest
	relations  func(p judgePrompt) string // nil: honest
	script     []llmtest.Reply            // replies that are used first
	entries    []detectors.Entry          // nil: all deep ones
	settings   map[string]any
	gate       sampling.Gate
	verifier   llm.Kind // of a server that checks claims; "": the judge compares
	embedder   bool
	noModels   bool // no model is configured

	byStatement bool   // the judge is in mode statements
	rules       string // of the operator

	chat   func(llmtest.Chat) string // replies in place of all others; nil: none
	random io.Reader                 // nil: a fixed one

	ignoreN bool
}

// judgePrompt holds the fenced texts of a prompt.
type judgePrompt struct {
	statements, sources, premises []string
	answer                        string
}

var fencedText = regexp.MustCompile(`(?s)(Answer|Context|Source|Statement|Premise|Hypothesis|The user says|The assistant said|A tool returned|The application instructs the assistant|Another speaker said)(?: \d+(?: \(id [\w.-]+\))?)?:\n<<DATA-[a-p]{16}\n(.*?)\nDATA-[a-p]{16}>>`)

func readJudgePrompt(text string) (p judgePrompt) {
	for _, m := range fencedText.FindAllStringSubmatch(text, -1) {
		switch m[1] {
		case "Statement", "Hypothesis":
			p.statements = append(p.statements, m[2])
		case "Source":
			p.sources = append(p.sources, m[2])
		case "Premise":
			p.premises = append(p.premises, m[2])
		case "Answer":
			p.answer = m[2]
		}
	}
	return p
}

func (w *deepFixture) answer(c llmtest.Chat, i int) string {
	if w.chat != nil {
		return w.chat(c)
	}
	p := readJudgePrompt(c.Last())
	system := c.Messages[0].Content
	switch {
	case strings.HasPrefix(system, "You split") && w.statements != nil:
		return w.statements(p.answer)
	case strings.HasPrefix(system, "You split"):
		return statementsJSON(strings.SplitAfter(p.answer, ". ")...)
	case strings.HasPrefix(system, "You look") && w.faults != nil:
		return w.faults(p)
	case strings.HasPrefix(system, "You look"):
		return honestFaults(p)
	case strings.HasPrefix(system, "You check") && w.verdicts != nil:
		return w.verdicts(p)
	case strings.HasPrefix(system, "You check"):
		return honestVerdicts(p)
	case strings.HasPrefix(system, "You compare") && w.relations != nil:
		return w.relations(p)
	case strings.HasPrefix(system, "You compare"):
		return honestRelations(p)
	case len(w.samples) == 0:
		return ""
	default:
		return w.samples[i%len(w.samples)]
	}
}

func statementsJSON(statements ...string) string {
	statements = append([]string{}, statements...)
	text, _ := json.Marshal(map[string]any{"statements": statements})
	return string(text)
}

type verdict struct {
	Index      int     `json:"index"`
	Reason     string  `json:"reason"`
	Verdict    int     `json:"verdict"`
	Outside    bool    `json:"out_of_scope"`
	Confidence float64 `json:"confidence"`
}

func verdictJSON(list []verdict) string {
	text, _ := json.Marshal(map[string]any{"verdicts": list})
	return string(text)
}

// eachVerdict returns judge's verdict on every statement.
func eachVerdict(p judgePrompt, judge func(statement string) int) []verdict {
	var list []verdict
	for i, s := range p.statements {
		list = append(list, verdict{Index: i + 1, Verdict: judge(s), Reason: "as the sources say", Confidence: .9})
	}
	return list
}

func honestVerdicts(p judgePrompt) string {
	return verdictJSON(eachVerdict(p, func(s string) int { return boolToInt(allWords(s, strings.Join(p.sources, " "))) }))
}

type fault struct {
	Quote       string  `json:"quote"`
	Stance      string  `json:"stance"`
	Source      string  `json:"source"`
	Instead     string  `json:"instead"`
	Material    bool    `json:"material"`
	Probability float64 `json:"probability"`
}

func faultJSON(list ...fault) string {
	text, _ := json.Marshal(map[string]any{"faults": append([]fault{}, list...)})
	return string(text)
}

// eachFault lists every sentence with a word that no source has.
func eachFault(p judgePrompt) (list []fault) {
	for paragraph := range strings.SplitSeq(p.answer, "\n\n") {
		for s := range strings.SplitAfterSeq(paragraph, ". ") {
			if !allWords(s, strings.Join(p.sources, " ")) {
				list = append(list, fault{Quote: s, Stance: "contradicted", Source: "1", Instead: "1149 meters", Material: true, Probability: .9})
			}
		}
	}
	return list
}

func honestFaults(p judgePrompt) string { return faultJSON(eachFault(p)...) }

func obedientVerdicts(p judgePrompt) string {
	return verdictJSON(eachVerdict(p, func(string) int { return 1 }))
}

func relationJSON(p judgePrompt, relate func(premise, hypothesis string) string) string {
	var list []map[string]any
	for i, h := range p.statements {
		list = append(list, map[string]any{"index": i, "relation": relate(p.premises[i], h), "confidence": .9})
	}
	text, _ := json.Marshal(map[string]any{"relations": list})
	return string(text)
}

func honestRelations(p judgePrompt) string {
	return relationJSON(p, func(premise, hypothesis string) string {
		if allWords(hypothesis, premise) {
			return "entailment"
		}
		return "contradiction"
	})
}

func allWords(s, in string) bool {
	has := strings.Fields(strings.ToLower(strings.NewReplacer(".", " ", ",", " ").Replace(in)))
	for w := range strings.FieldsSeq(strings.ToLower(strings.NewReplacer(".", " ", ",", " ").Replace(s))) {
		if !slices.Contains(has, w) {
			return false
		}
	}
	return true
}

func boolToInt(b bool) int {
	if b {
		return 1
	}
	return 0
}

// deepSuite is a suite whose evaluations use these models.
type deepSuite struct {
	*detectors.Suite
	models deep.Models
}

func (s deepSuite) Evaluate(ctx context.Context, in *schemas.Interaction) *detectors.Evaluation {
	return deep.Evaluate(ctx, s.Suite, in, s.models)
}

// suite returns a suite that uses the fake server. Random marks and canary statements are the same in every run.
func (w *deepFixture) suite(t *testing.T) (deepSuite, *llmtest.Server) {
	t.Helper()
	server := llmtest.Memory(t, llmtest.Options{Script: w.script, Answer: w.answer, IgnoreN: w.ignoreN})
	random := w.random
	client := func(path string) sampling.EndpointOptions {
		c, err := llm.New(llm.Options{
			BaseURL: server.URL + path, Model: "tiny", Redact: strings.Clone, Dial: server.Dial, MaxRetries: -1,
		})
		require.NoError(t, err)
		t.Cleanup(c.Close)
		if w.random == nil {
			random = rand.NewChaCha8([32]byte{7})
		}
		return sampling.EndpointOptions{Client: c, Gate: w.gate, Random: random}
	}
	known, err := calibration.Default()
	require.NoError(t, err)
	var models deep.Models
	if !w.noModels {
		judge := sampling.NewJudge(client("/v1"), func(string, string) string { return w.rules })
		if models.Resampler, models.Faults, models.Asked.Prompt = sampling.NewResampler(client("/v1")), judge, sampling.PromptFaults; w.byStatement {
			models.Faults, models.Judge, models.Asked.Prompt = nil, judge, sampling.PromptStatements
		}
		models.Verifier = sampling.NewComparer(client("/v1"))
		if w.verifier != "" {
			form, err := llm.NewForm(w.verifier, llm.FormMap{})
			require.NoError(t, err)
			models.Verifier = sampling.NewVerifier(sampling.NewVerifierServer(client("/predict").Client, form, 1000), w.gate)
		}
		if w.embedder {
			models.Embedder = sampling.NewEmbedder(client("/v1"))
		}
	}
	entries := w.entries
	if entries == nil {
		entries = standard.Deep(standard.Dependencies{})
	}
	s, err := detectors.NewSuite(detectors.Options{
		Detectors: entries, Settings: w.settings, Thresholds: known,
		Now: func() time.Time { return time.Time{} }, Redact: strings.Clone, Logger: slog.Default(),
	})
	require.NoError(t, err)
	return deepSuite{s, models}, server
}

// onlyDetector returns the entry of one deep detector.
func onlyDetector(name string) []detectors.Entry {
	return slices.DeleteFunc(standard.Deep(standard.Dependencies{}), func(e detectors.Entry) bool { return e.Name != name })
}

// formatSignals formats a flag's signals, one per line, with measures and evidence below.
func formatSignals(f schemas.Flag) string {
	var b strings.Builder
	for _, s := range f.Signals {
		fmt.Fprintf(&b, "  %-12s %-13s %.2f  %s\n", s.Detector, s.Outcome, s.Score, s.Reason)
		var list []string
		for _, name := range slices.Sorted(maps.Keys(s.Measures)) {
			list = append(list, fmt.Sprintf("%s %.3g", name, s.Measures[name]))
		}
		if len(list) > 0 {
			fmt.Fprintf(&b, "      %s\n", strings.Join(list, ", "))
		}
		for _, e := range s.Evidence {
			fmt.Fprintf(&b, "      > %q: %s\n", e.Excerpt, e.Note)
		}
	}
	return b.String()
}
