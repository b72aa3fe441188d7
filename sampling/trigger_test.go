package sampling_test

import (
	"math"
	"strconv"
	"testing"

	"github.com/stretchr/testify/require"

	"confab/sampling"
	"confab/schemas"
)

func askedInteraction(question string) *schemas.Interaction {
	return &schemas.Interaction{
		ID: "1", Tenant: "bank", Operation: "qa", Answer: "It is 7.",
		Messages: []schemas.Message{{Role: "system", Content: "When in doubt, say so?"}, {Role: "user", Content: question}},
	}
}

func triggeredSampler(t testing.TB, change func(*sampling.Options)) *sampling.Sampler {
	t.Helper()
	o := defaultOptions()
	o.Rate, o.Salt = 0, testSalt
	change(&o)
	s, err := sampling.New(o)
	require.NoError(t, err)
	return s
}

func TestTriggers(t *testing.T) {
	if testing.Short() {
		t.Skip("takes seconds: make test runs it")
	}
	seen := func(risk, support float64) sampling.FastScores {
		return sampling.FastScores{Risk: risk, Support: support}
	}
	nan := math.NaN()
	weak := func(o *sampling.Options) { o.Triggers.WeakRetrieval.Rate = 1 }
	few := func(o *sampling.Options) {
		o.Triggers.WeakRetrieval = sampling.WeakRetrieval{Rate: 1, Sources: 1}
	}
	tests := map[string]struct {
		change func(*sampling.Options)
		seen   sampling.FastScores
		want   sampling.Reason
	}{
		"weak support":         {weak, seen(nan, 0.29), sampling.ReasonWeakRetrieval},
		"enough support":       {weak, seen(nan, 0.3), ""},
		"no support":           {weak, seen(nan, nan), ""},
		"no sources":           {few, seen(nan, nan), sampling.ReasonWeakRetrieval},
		"the tenant":           {func(o *sampling.Options) { o.Tenants = map[string]float64{"bank": 1} }, seen(nan, nan), sampling.ReasonTenant},
		"another tenant":       {func(o *sampling.Options) { o.Tenants = map[string]float64{"shop": 1} }, seen(nan, nan), ""},
		"the operation":        {func(o *sampling.Options) { o.Operations = map[string]float64{"qa": 1} }, seen(nan, nan), sampling.ReasonOperation},
		"a question for facts": {func(o *sampling.Options) { o.Triggers.SpecificQuestion.Rate = 1 }, seen(nan, nan), sampling.ReasonSpecificQuestion},
		"the first of several": {func(o *sampling.Options) { few(o); o.Operations = map[string]float64{"qa": 1} }, seen(0.5, 0), sampling.ReasonOperation},
		"off":                  {func(*sampling.Options) {}, seen(0.5, 0), ""},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			s := triggeredSampler(t, tt.change)
			want := sampling.Decision{}
			if tt.want != "" {
				want = sampling.Decision{Sampled: true, Reason: tt.want, Probability: 1}
			}
			require.Equal(t, want, s.Decide(askedInteraction("How many days are there?"), tt.seen))
		})
	}
	require.True(t, triggeredSampler(t, func(o *sampling.Options) { o.Verify = sampling.VerifyGrey }).NeedsRisk())
	require.False(t, triggeredSampler(t, weak).NeedsRisk())
}

// TestUnion compares the share picked by several triggers with the reported probabilities: dependent draws would pick
// another share.
func TestUnion(t *testing.T) {
	const n = 20_000
	s := triggeredSampler(t, func(o *sampling.Options) {
		o.Rate, o.Tenants, o.Operations = 0.1, map[string]float64{"bank": 0.1}, map[string]float64{"qa": 0.2}
		o.Triggers.WeakRetrieval.Rate, o.Triggers.SpecificQuestion.Rate = 0.3, 0.05
	})
	in := askedInteraction("Who wrote it?")
	in.Tags = []string{"legal"}
	seen := sampling.FastScores{Risk: 0.5, Support: 0.1}
	want := 1 - 0.9*0.9*0.8*0.7*0.95
	picked, reasons := 0, map[sampling.Reason]int{}
	for i := range n {
		in.ID = strconv.Itoa(i)
		d := s.Decide(in, seen)
		require.InDelta(t, want, d.Probability, 1e-12)
		if d.Sampled {
			picked++
			reasons[d.Reason]++
		}
	}
	require.InDelta(t, n*want, picked, 4*math.Sqrt(n*want*(1-want)))
	require.Len(t, reasons, 5)
}

func TestQuestionsForFacts(t *testing.T) {
	tests := map[string]bool{
		"When was the bridge built?":                    true,
		"Hello. I wonder, who signed it?":               true,
		"HOW MUCH does it cost?":                        true,
		"What is the maximum daily dose for adults?":    true,
		"What's the price of the second one?":           true,
		"Could you rewrite this text?":                  false,
		"How do I get there?":                           false,
		"How do many people see it?":                    false,
		"What do you think of it?":                      false,
		"Tell me when it was built.":                    false,
		"When it rains, I read. Could you sum this up?": false,
		"": false,
		"Was it expensive, and in which city? Thank you.": true,
	}
	s := triggeredSampler(t, func(o *sampling.Options) { o.Triggers.SpecificQuestion.Rate = 1 })
	for question, want := range tests {
		t.Run(question, func(t *testing.T) {
			require.Equal(t, want, s.Decide(askedInteraction(question), sampling.NoFastScores()).Sampled)
		})
	}
	none := askedInteraction("")
	none.Messages = nil
	require.False(t, s.Decide(none, sampling.NoFastScores()).Sampled)
}

func TestTriggerErrors(t *testing.T) {
	tests := map[string]struct {
		change func(*sampling.Options)
		names  string
	}{
		"no limit":        {func(o *sampling.Options) { o.Triggers.WeakRetrieval = sampling.WeakRetrieval{Rate: 1} }, "weak_retrieval"},
		"a rate":          {func(o *sampling.Options) { o.Triggers.SpecificQuestion.Rate = 2 }, "specific_question"},
		"a tenant's rate": {func(o *sampling.Options) { o.Tenants = map[string]float64{"bank": -1} }, "sampling.tenants.bank"},
		"no salt":         {func(o *sampling.Options) { o.Salt, o.Operations = "", map[string]float64{"qa": 1} }, "sampling.salt_file"},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			o := defaultOptions()
			o.Rate, o.Salt = 0, testSalt
			tt.change(&o)
			_, err := sampling.New(o)
			require.ErrorContains(t, err, tt.names)
		})
	}
}

// The best score counts, and only if the retriever gave any.
func TestRetrieverScores(t *testing.T) {
	s := triggeredSampler(t, func(o *sampling.Options) {
		o.Triggers.WeakRetrieval = sampling.WeakRetrieval{Rate: 1, Score: 0.5}
	})
	for want, scores := range map[bool][][]float64{true: {{0.2}, {0.1, 0.49}, {-3}}, false: {{0.5}, {0.1, 0.9}, {0, 0}, {}}} {
		for _, list := range scores {
			in := askedInteraction("Why?")
			for _, x := range list {
				in.Sources = append(in.Sources, schemas.Source{Text: "a", Score: x})
			}
			require.Equal(t, want, s.Decide(in, sampling.NoFastScores()).Sampled, "%v", list)
		}
	}
}
