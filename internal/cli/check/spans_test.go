package check

import (
	"bytes"
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"confab/internal/worker/coverage"
	"confab/schemas"
	"confab/schemas/json"
	"confab/schemas/json/scan"
	"confab/schemas/otlp"
)

// expandFake gives two answers and a fault for every line but one without answers.
func expandFake(line []byte, each func(in *schemas.Interaction, index int, err error)) error {
	if strings.Contains(string(line), "nothing") {
		return json.ErrSkipped
	}
	for i := range 3 {
		if i == 1 {
			each(nil, i, errors.New("span 1: syntax in answer"))
			continue
		}
		each(&schemas.Interaction{ID: fmt.Sprint("i-", i), Answer: "x", Sources: []schemas.Source{{Text: "0.9"}}}, i, nil)
	}
	return nil
}

// What spans of unknown conventions have is named, as the place that a map could name.
func TestSpansWithoutAnswer(t *testing.T) {
	var errs bytes.Buffer
	c := &Command{Clock: time.Now, Options: Options{
		Admit: answerScorer{}.Admit, Evaluate: scoreBySource, Now: time.Now, Name: "f", Spans: true,
		Expand: func([]byte, func(*schemas.Interaction, int, error)) error {
			return &otlp.NoAnswerError{Keys: []string{"app.prompt", "app/reply"}}
		},
	}}
	_, err := c.Run(t.Context(), strings.NewReader("{}\n"), nil, &errs)
	require.EqualError(t, err, "no interactions in f: no span with an answer is known in the only record: their attributes with text are app.prompt, app/reply: "+
		"name that of the answer in the map of an input, such as map: {answer: /attributes/app~1reply} (docs/otlp.md)")
	require.Contains(t, errs.String(), "1 without a model's answer")
	require.NotContains(t, errs.String(), "filter")
}

// Attributes that are cut off are named as such.
func TestCutOffSpans(t *testing.T) {
	for hint, faults := range map[string]func(each func(*schemas.Interaction, int, error)){
		"an answer is broken JSON: " + coverage.CutOffRemedy: func(each func(*schemas.Interaction, int, error)) {
			each(nil, 0, fmt.Errorf("span 0: %w", &scan.Error{Reason: otlp.ReasonBadAnswer}))
		},
		"messages are cut off: " + coverage.CutOffRemedy: func(each func(*schemas.Interaction, int, error)) {
			each(&schemas.Interaction{Answer: "x", Malformed: []string{schemas.FieldMessages, schemas.MessagesCutOff}}, 0, nil)
		},
	} {
		var errs bytes.Buffer
		c := &Command{Clock: time.Now, Options: Options{
			Admit: answerScorer{}.Admit, Evaluate: scoreBySource, Now: time.Now, Name: "f", Spans: true,
			Expand: func(_ []byte, each func(*schemas.Interaction, int, error)) error { faults(each); return nil },
		}}
		_, _ = c.Run(t.Context(), strings.NewReader("{}\n"), nil, &errs)
		require.Contains(t, errs.String(), "hint: "+hint)
	}
}

func TestLinesOfSpans(t *testing.T) {
	const spans = `{"resourceSpans":[{}]}` + "\n" + `{"resourceSpans":["nothing"]}` + "\n"
	for name, tt := range map[string]struct {
		input  string
		forced bool
		read   LineDecoder
		spans  bool
	}{
		"recognized":     {spans, false, nil, true},
		"forced":         {spans, true, func([]byte, *schemas.Interaction) error { return errors.New("not called") }, true},
		"another preset": {spans, false, func(_ []byte, in *schemas.Interaction) error { in.Answer = "x"; return nil }, false},
		"interactions":   {`{"answer":"x"}` + "\n", false, nil, false},
	} {
		t.Run(name, func(t *testing.T) {
			var out, errs bytes.Buffer
			res, err := Run(t.Context(), strings.NewReader(tt.input), &out, &errs, Options{
				Admit: answerScorer{}.Admit, Evaluate: scoreBySource, Now: time.Now, Name: "f", Read: tt.read, Expand: expandFake, Spans: tt.forced, Workers: 3,
			})
			require.NoError(t, err)
			if !tt.spans {
				require.Zero(t, res.Bad)
				return
			}
			require.Equal(t, 4, res.Lines)
			require.Equal(t, 1, res.Bad)
			require.Equal(t, 1, res.Skipped)
			require.Contains(t, errs.String(), "line 1: span 1: syntax in answer")
			var origins []schemas.Origin
			for line := range strings.SplitSeq(strings.TrimSpace(out.String()), "\n") {
				var f schemas.Flag
				require.NoError(t, json.DecodeFlag([]byte(line), &f))
				origins = append(origins, f.Origin)
			}
			require.Equal(t, []schemas.Origin{{Topic: "file", Offset: 1}, {Topic: "file", Offset: 1, Index: 2}}, origins)
		})
	}
}
