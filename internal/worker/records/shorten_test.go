package records

import (
	"math/rand/v2"
	"slices"
	"strconv"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	"github.com/prometheus/client_golang/prometheus/testutil"
	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"confab/internal/kafka"
	"confab/schemas"
	"confab/schemas/avro"
	"confab/schemas/json"
)

// keptFields are the fields that every level keeps: ids, names, outcomes, scores and the input of the alert rule.
func keptFields(f *schemas.Flag) schemas.Flag {
	out := *f
	out.Tags, out.Attributes, out.Grounding, out.Question = nil, nil, nil, ""
	out.Signals = slices.Clone(f.Signals)
	for i, s := range f.Signals {
		out.Signals[i] = schemas.Signal{Detector: s.Detector, Outcome: s.Outcome, Score: s.Score, Threshold: s.Threshold}
	}
	return out
}

func randomFlag(t *rapid.T) schemas.Flag {
	text, share := rapid.StringN(0, 40, -1), rapid.Float64Range(0, 1)
	evidence := rapid.Custom(func(t *rapid.T) schemas.Evidence {
		return schemas.Evidence{
			Start: rapid.IntRange(0, 1000).Draw(t, "start"), End: 1000, Excerpt: text.Draw(t, "excerpt"), Note: text.Draw(t, "note"),
			SourceID: text.Draw(t, "source"), SourceNumber: 1, SourceExcerpt: text.Draw(t, "source excerpt"), SourceSays: text.Draw(t, "says"), Similarity: share.Draw(t, "similarity"),
		}
	})
	statement := rapid.Custom(func(t *rapid.T) schemas.Statement {
		return schemas.Statement{End: 9, Text: text.Draw(t, "statement"), Verdict: "faithful", Reason: text.Draw(t, "why"), Confidence: share.Draw(t, "confidence")}
	})
	signal := rapid.Custom(func(t *rapid.T) schemas.Signal {
		return schemas.Signal{
			Detector: text.Draw(t, "detector"), Outcome: rapid.SampledFrom(schemas.Outcomes()).Draw(t, "outcome"),
			Score: share.Draw(t, "score"), Threshold: share.Draw(t, "threshold"), Type: schemas.Factual, Reason: text.Draw(t, "reason"),
			Measures: rapid.MapOfN(text, share, 0, 4).Draw(t, "measures"), Evidence: rapid.SliceOfN(evidence, 0, 4).Draw(t, "evidence"),
			Statements: rapid.SliceOfN(statement, 0, 3).Draw(t, "statements"),
		}
	})
	f := schemas.Flag{
		IncidentID: text.Draw(t, "id"), Pass: schemas.PassFast, InteractionID: text.Draw(t, "interaction"), Tenant: text.Draw(t, "tenant"),
		Model: text.Draw(t, "model"), Tags: rapid.SliceOfN(text, 0, 4).Draw(t, "tags"), DetectedAt: time.Unix(1, 0).UTC(),
		Origin:  schemas.Origin{Topic: text.Draw(t, "topic"), Offset: 7},
		Signals: rapid.SliceOfN(signal, 1, 5).Draw(t, "signals"), Fired: rapid.SliceOfN(text, 0, 3).Draw(t, "fired"),
		Risk: new(share.Draw(t, "risk")), Alert: rapid.Bool().Draw(t, "alert"), Truncated: rapid.Bool().Draw(t, "truncated"),
		Question:   text.Draw(t, "question"),
		Attributes: rapid.MapOfN(text, text, 0, 4).Draw(t, "attributes"),
	}
	if rapid.Bool().Draw(t, "grounded") {
		f.Grounding = &schemas.Grounding{UngroundedClaims: 3, UngroundedClaimList: []schemas.Claim{{End: 9, Excerpt: text.Draw(t, "claim")}}}
	}
	return f
}

// Every level of any flag is deterministic, decodes in both encodings to what was encoded, keeps what must be kept and is
// no larger than the level before. The flag itself stays as it was.
func TestShortenLevels(t *testing.T) {
	schema, err := avro.NewSchema(schemas.FlagAvro())
	require.NoError(t, err)
	ignore := cmp.Options{cmpopts.EquateEmpty()}
	rapid.Check(t, func(t *rapid.T) {
		f := randomFlag(t)
		before, err := json.AppendFlag(nil, &f)
		require.NoError(t, err)
		inJSON, inAvro := 0, 0
		for level := shortenNothing; level <= shortenAll; level++ {
			slim := level.apply(&f)
			raw, err := json.AppendFlag(nil, &slim)
			require.NoError(t, err)
			again := level.apply(&f)
			twice, err := json.AppendFlag(nil, &again)
			require.NoError(t, err)
			require.Equal(t, raw, twice)
			var back schemas.Flag
			require.NoError(t, json.DecodeFlag(raw, &back))
			require.Empty(t, cmp.Diff(keptFields(&f), keptFields(&back), ignore))
			binary, err := avro.AppendFlag(nil, &slim)
			require.NoError(t, err)
			var decoded schemas.Flag
			require.NoError(t, avro.DecodeFlag(schema, binary, &decoded))
			require.Empty(t, cmp.Diff(slim, decoded, ignore))
			if level > shortenTexts { // the first level adds the mark
				require.LessOrEqual(t, len(raw), inJSON, "level %d", level)
				require.LessOrEqual(t, len(binary), inAvro, "level %d", level)
			}
			inJSON, inAvro = len(raw), len(binary)
			require.Equal(t, level > shortenNothing, slim.Attributes[shortenedAttribute] != "")
		}
		after, err := json.AppendFlag(nil, &f)
		require.NoError(t, err)
		require.Equal(t, before, after, "the flag is not changed")
	})
}

func TestShortenLevelsDropInOrder(t *testing.T) {
	f := schemas.Flag{
		Tags: []string{"medical"}, Attributes: map[string]string{"k": "v"},
		Grounding: &schemas.Grounding{UngroundedClaims: 1, UngroundedClaimList: []schemas.Claim{{Excerpt: "claim"}}},
		Signals: []schemas.Signal{{
			Type: schemas.Factual, Reason: "why", Measures: map[string]float64{"m": 1},
			Evidence: []schemas.Evidence{{Excerpt: "first", Note: "n", SourceID: "s"}, {Excerpt: "second"}},
		}},
	}
	has := func(f *schemas.Flag) (parts []string) {
		s := &f.Signals[0]
		for _, p := range []struct {
			name string
			has  bool
		}{
			{"excerpts", len(s.Evidence) > 0 && s.Evidence[0].Excerpt+s.Evidence[0].Note != ""},
			{"rows", len(s.Evidence) > 1},
			{"claims", f.Grounding != nil && len(f.Grounding.UngroundedClaimList) > 0},
			{"measures", s.Measures != nil},
			{"attributes", f.Attributes["k"] != ""},
			{"worst", len(s.Evidence) > 0 && s.Evidence[0].SourceID != "" && s.Reason != "" && s.Type != "" && f.Grounding != nil},
			{"tags", f.Tags != nil},
		} {
			if p.has {
				parts = append(parts, p.name)
			}
		}
		return parts
	}
	for level, want := range [][]string{
		{"excerpts", "rows", "claims", "measures", "attributes", "worst", "tags"},
		{"rows", "claims", "measures", "attributes", "worst", "tags"},
		{"worst", "tags"},
		nil,
	} {
		slim := shortenLevel(level).apply(&f)
		require.ElementsMatch(t, want, has(&slim), "level %d", level)
	}
}

func TestAlertStateFitsItsTopic(t *testing.T) {
	hex := func(n int) string { // compression gains nothing on it
		b := make([]byte, n)
		for i := range b {
			b[i] = "0123456789abcdef"[rand.IntN(16)]
		}
		return string(b)
	}
	member := func() schemas.Flag {
		return schemas.Flag{IncidentID: hex(64), Signals: []schemas.Signal{{
			Detector: "grounding", Outcome: schemas.Fired, Score: 0.9, Evidence: []schemas.Evidence{{Excerpt: hex(300)}},
		}}}
	}
	lead := member()
	state := &schemas.AlertState{Status: schemas.AlertPending, Group: &schemas.AlertGroupState{
		Members: 4, Lead: &lead, Top: []schemas.Flag{member(), member(), member(), member(), member()},
	}}
	whole, err := json.AppendAlertState(nil, state)
	require.NoError(t, err)
	for _, tt := range []struct {
		limit    int
		top      int
		evidence int
		slimmed  float64
	}{
		{10_000, 5, 300, 0},
		{1_200, 5, 0, 1},
		{600, 0, 0, 1},
	} {
		t.Run(strconv.Itoa(tt.limit), func(t *testing.T) {
			m, _ := newTestMetrics()
			sizes := &StateEncoder{"llm.alerts", kafka.NewSizeLimits(kafka.Config{}, map[string]int{"llm.alerts": tt.limit}), m}
			value, err := sizes.Encode("key", state)
			require.NoError(t, err)
			var back schemas.AlertState
			require.NoError(t, json.DecodeAlertState(value, &back))
			require.Equal(t, lead.IncidentID, back.Group.Lead.IncidentID)
			require.EqualValues(t, 4, back.Group.Members)
			require.Len(t, back.Group.Top, tt.top)
			shown := 0
			for _, e := range back.Group.Lead.Signals[0].Evidence {
				shown += len(e.Excerpt)
			}
			require.Equal(t, tt.evidence, shown)
			require.InDelta(t, tt.slimmed, testutil.ToFloat64(m.shortened.WithLabelValues("llm.alerts")), 0)
		})
	}
	m, _ := newTestMetrics()
	sizes := &StateEncoder{"llm.alerts", kafka.NewSizeLimits(kafka.Config{}, map[string]int{"llm.alerts": 100}), m}
	value, err := sizes.Encode("key", state)
	require.NoError(t, err)
	require.Equal(t, whole, value, "what cannot fit is refused whole")
}

// An alert that waits keeps its flag, as far as the topic allows.
func TestWaitingAlertIsShortened(t *testing.T) {
	text := make([]byte, 2000)
	r := rand.NewChaCha8([32]byte{}) // nothing that compresses
	for i := range text {
		text[i] = 'a' + byte(r.Uint64()%26)
	}
	f := schemas.Flag{IncidentID: "i", Question: string(text), Fired: []string{"citation"}}
	state := &schemas.AlertState{Status: schemas.AlertWaiting, Waiting: &f}
	for limit, question := range map[int]int{10_000: 2000, 1_000: 0} {
		m, _ := newTestMetrics()
		sizes := &StateEncoder{"llm.alerts", kafka.NewSizeLimits(kafka.Config{}, map[string]int{"llm.alerts": limit}), m}
		value, err := sizes.Encode("key", state)
		require.NoError(t, err)
		var back schemas.AlertState
		require.NoError(t, json.DecodeAlertState(value, &back))
		require.Equal(t, []string{"citation"}, back.Waiting.Fired)
		require.Len(t, back.Waiting.Question, question)
	}
}

// The first level drops every text of the interaction.
func TestShortenDropsTexts(t *testing.T) {
	f := schemas.Flag{Question: "q", Signals: []schemas.Signal{{
		Evidence:   []schemas.Evidence{{Excerpt: "e", Note: "n", SourceExcerpt: "s", SourceSays: "o", SourceNumber: 2}},
		Statements: []schemas.Statement{{End: 3, Text: "t", Verdict: "faithful", Reason: "r"}},
	}}}
	short := shortenTexts.apply(&f)
	require.Empty(t, short.Question)
	require.Equal(t, []schemas.Evidence{{SourceNumber: 2}}, short.Signals[0].Evidence)
	require.Equal(t, []schemas.Statement{{End: 3, Verdict: "faithful"}}, short.Signals[0].Statements)
	rows := shortenDetails.apply(&f)
	require.Empty(t, rows.Signals[0].Statements)
	require.Equal(t, "t", f.Signals[0].Statements[0].Text, "the flag is left alone")
}
