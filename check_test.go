package confab_test

import (
	"context"
	"testing"

	"github.com/stretchr/testify/require"

	"confab"
	"confab/alerting"
	"confab/detectors"
	"confab/schemas"
)

func bridge(answer string) *schemas.Interaction {
	return &schemas.Interaction{
		Temperature: schemas.UnknownTemperature,
		Messages:    []schemas.Message{{Role: "user", Content: "When was the bridge opened, and how long is it?"}},
		Sources:     []schemas.Source{{ID: "1", Text: "The bridge was opened in 1935 by the mayor. It is 320 metres long."}},
		Answer:      answer,
	}
}

func TestCheckWithDefaults(t *testing.T) {
	e, err := confab.New(confab.Options{}, confab.Tuning{})
	require.NoError(t, err)

	wrong := bridge("The bridge was opened in 1937 [1]. It is 480 metres long [1]. Ask anna.smith@example.com.")
	before := *wrong
	flag, err := e.Check(t.Context(), wrong)
	require.NoError(t, err)
	require.Equal(t, before, *wrong, "the interaction is not changed")
	require.Contains(t, flag.Fired, "facts")
	require.True(t, flag.Alert)
	require.Equal(t, schemas.DefaultTenant, flag.Tenant)
	require.Equal(t, confab.IDSourceContent, flag.IDSource)
	require.NotEmpty(t, flag.InteractionID)
	for _, s := range flag.Signals {
		for _, ev := range s.Evidence {
			require.NotContains(t, ev.Excerpt, "anna.smith", "redaction is on by default")
		}
	}

	again, err := e.Check(t.Context(), wrong)
	require.NoError(t, err)
	require.Equal(t, flag.IncidentID, again.IncidentID, "a repeat has the same incident id")

	right, err := e.Check(t.Context(), bridge("The bridge was opened in 1935 [1]. It is 320 metres long [1]."))
	require.NoError(t, err)
	require.Empty(t, right.Fired)
	require.NotEqual(t, flag.IncidentID, right.IncidentID)
}

func TestCheckKeepsIDs(t *testing.T) {
	e, err := confab.New(confab.Options{}, confab.Tuning{})
	require.NoError(t, err)
	in := bridge("It is long.")
	in.ID, in.Tenant = "resp_1", "bank"
	flag, err := e.Check(t.Context(), in)
	require.NoError(t, err)
	require.Equal(t, "resp_1", flag.InteractionID)
	require.Equal(t, "bank", flag.Tenant)
	require.Empty(t, flag.IDSource)
}

func TestCheckRefusesBadText(t *testing.T) {
	e, err := confab.New(confab.Options{}, confab.Tuning{})
	require.NoError(t, err)
	for name, spoil := range map[string]func(*schemas.Interaction){
		"answer":    func(in *schemas.Interaction) { in.Answer += "\xff" },
		"message 0": func(in *schemas.Interaction) { in.Messages[0].Role = "us\xc3" },
		"source 0":  func(in *schemas.Interaction) { in.Sources[0].URI = "\xed\xa0\x80" },
		"tag":       func(in *schemas.Interaction) { in.Tags = []string{"ok", "\xff"} },
	} {
		in := bridge("It is long.")
		spoil(in)
		_, err := e.Check(t.Context(), in)
		require.ErrorIs(t, err, confab.ErrNotUTF8)
		require.EqualError(t, err, "check interaction: "+name+" is not valid UTF-8")
	}
}

func TestCheckEndsWithItsContext(t *testing.T) {
	e, err := confab.New(confab.Options{}, confab.Tuning{})
	require.NoError(t, err)
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	_, err = e.Check(ctx, bridge("It is long."))
	require.ErrorIs(t, err, context.Canceled)
}

// shoutDetector fires on answers in capital letters.
type shoutDetector struct{}

func (shoutDetector) Detect(_ context.Context, doc *detectors.Document) (detectors.Finding, error) {
	upper, letters := 0, 0
	for _, c := range doc.Interaction().Answer {
		switch {
		case c >= 'A' && c <= 'Z':
			upper, letters = upper+1, letters+1
		case c >= 'a' && c <= 'z':
			letters++
		}
	}
	if letters == 0 {
		return detectors.Finding{NotCheckable: "no letters"}, nil
	}
	return detectors.Finding{Score: float64(upper) / float64(letters), Reason: "the answer is in capital letters"}, nil
}

func shoutEntry() detectors.Entry {
	return detectors.Entry{Name: "shout", Type: schemas.Format, Prose: true, New: func(any) (detectors.Detector, error) { return shoutDetector{}, nil }}
}

func TestOwnDetector(t *testing.T) {
	plain, err := confab.New(confab.Options{}, confab.Tuning{})
	require.NoError(t, err)
	own, err := confab.New(confab.Options{Own: []confab.OwnDetector{{Entry: shoutEntry(), Threshold: 0.8}}}, confab.Tuning{})
	require.NoError(t, err)

	in := bridge("THE BRIDGE WAS OPENED IN 1935 [1].")
	before, err := plain.Check(t.Context(), in)
	require.NoError(t, err)
	after, err := own.Check(t.Context(), in)
	require.NoError(t, err)
	require.NotNil(t, before.Risk)
	require.InDelta(t, 1-(1-*before.Risk)*0.35, *after.Risk, 1e-12, "a detector without labels is right in .65 of the cases")
	require.Equal(t, append(before.Fired, "shout"), after.Fired)
	require.Len(t, after.Signals, len(before.Signals)+1)
}

func TestOwnDetectorMistakes(t *testing.T) {
	for message, own := range map[string]confab.OwnDetector{
		`detector "shout": the threshold is 0: set one above 0, at most 1`:    {Entry: shoutEntry()},
		`detector "shout": the threshold is 1.5: set one above 0, at most 1`:  {Entry: shoutEntry(), Threshold: 1.5},
		`make detector suite: detector "shout": its entry needs Name and New`: {Entry: detectors.Entry{Name: "shout"}, Threshold: 0.5},
		`make detector suite: detector facts is listed twice`: {Entry: detectors.Entry{
			Name: "facts", New: func(any) (detectors.Detector, error) { return shoutDetector{}, nil },
		}, Threshold: 0.5},
	} {
		_, err := confab.New(confab.Options{Own: []confab.OwnDetector{own}}, confab.Tuning{})
		require.EqualError(t, err, message)
	}
}

func TestNewNeedsADetector(t *testing.T) {
	_, err := confab.New(confab.Options{Settings: map[string]any{}, Policy: alerting.PolicyOptions{}}, confab.Tuning{})
	require.ErrorContains(t, err, "no detectors")
}

// Explained, a quiet answer has a row for each sentence and citation, the weakest first.
func TestEachCitationIsExplained(t *testing.T) {
	in := &schemas.Interaction{
		Answer:  "The tower is 330 metres high [1][2]. The lift costs 9 euros [3].",
		Sources: []schemas.Source{{Text: "The tower is 330 metres high."}, {Text: "Bananas grow in the tropics."}, {Text: "The lift costs 9 euros."}},
	}
	for explain, want := range map[bool][]string{false: nil, true: {"2", "1", "3"}} {
		e, err := confab.New(confab.Options{Suite: detectors.Options{Explain: explain}}, confab.Tuning{})
		require.NoError(t, err)
		f, err := e.Check(t.Context(), in)
		require.NoError(t, err)
		require.Equal(t, "citation", f.Signals[0].Detector)
		require.Equal(t, schemas.Clear, f.Signals[0].Outcome)
		var cited []string
		for _, row := range f.Signals[0].Evidence {
			cited = append(cited, row.Citation)
		}
		require.Equal(t, want, cited)
	}
}
