package check

import (
	"bytes"
	"compress/gzip"
	"context"
	"errors"
	"fmt"
	"io"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"confab/schemas"
	"confab/schemas/json"
)

// answerScorer flags answers that contain the word "flag", and blocks on some of them.
type answerScorer struct{ release chan struct{} }

func (m answerScorer) Admit(in *schemas.Interaction, origin schemas.Origin) {
	if in.ID == "" {
		in.ID = fmt.Sprint("line ", origin.Offset)
	}
}

func (m answerScorer) Measure(_ context.Context, in *schemas.Interaction, origin schemas.Origin, now time.Time) schemas.Flag {
	if in.Answer == "slow" {
		<-m.release
	}
	if in.Answer == "quick" && m.release != nil {
		close(m.release)
	}
	f := schemas.Flag{InteractionID: strings.Clone(in.ID), Tenant: in.Tenant, Origin: origin, DetectedAt: now, Recommendation: schemas.Allow}
	if in.Answer == "bad" {
		f.Fired, f.Recommendation = []string{"schema"}, schemas.Block
	}
	return f
}

func runCheck(t *testing.T, in io.Reader, m answerScorer) (flags []schemas.Flag, messages string, res Result, err error) {
	t.Helper()
	var out, errs bytes.Buffer
	at := time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)
	res, err = Run(t.Context(), in, &out, &errs, Options{Admit: m.Admit, Evaluate: m.Measure, Now: func() time.Time { return at }, Workers: 2})
	for line := range strings.Lines(out.String()) {
		var f schemas.Flag
		require.NoError(t, json.DecodeFlag([]byte(line), &f))
		flags = append(flags, f)
	}
	return flags, errs.String(), res, err
}

// A line must not see the scratch space of another line.
func TestCheckReadsByAnotherDecoder(t *testing.T) {
	input := strings.Repeat(`{"a":"x","id":"\u0061"}`+"\n"+`{"id":"\u0062","a":"x"}`+"\n"+`{"id":"no answer"}`+"\n", 20)
	m, err := json.NewMapping(map[string]string{"answer": "/a", "interaction_id": "/id"})
	require.NoError(t, err)
	var out, errs bytes.Buffer
	res, err := Run(t.Context(), strings.NewReader(input), &out, &errs, Options{
		Admit: answerScorer{}.Admit, Evaluate: answerScorer{}.Measure, Now: time.Now, Workers: 3, Read: m.Decode,
	})
	require.NoError(t, err)
	require.Equal(t, 60, res.Lines)
	require.Equal(t, 20, res.Bad)
	require.Contains(t, errs.String(), "line 3: unmapped")
	i := 0
	for line := range strings.Lines(out.String()) {
		var f schemas.Flag
		require.NoError(t, json.DecodeFlag([]byte(line), &f))
		require.Equal(t, []string{"a", "b"}[i%2], f.InteractionID)
		i++
	}
	require.Equal(t, 40, i)
}

func TestCheckGoesOnAfterBadLines(t *testing.T) {
	input := strings.Join([]string{
		`{"interaction_id":"a","answer":"fine"}`,
		`{"interaction_id":"b"`,
		``,
		`{"interaction":{"interaction_id":"c","answer":"bad"},"label":1}`,
		`{"answer":"no id"}`,
		`not json`,
	}, "\n")
	flags, messages, res, err := runCheck(t, strings.NewReader(input), answerScorer{})
	require.NoError(t, err)
	require.Equal(t, []int{5, 2, 1, 1}, []int{res.Lines, res.Bad, res.Flagged, res.Blocked})
	require.ErrorIs(t, res.Err(), ErrBadLines)
	require.Contains(t, messages, "line 2: ")
	require.Contains(t, messages, "line 6: ")
	ids := []string{}
	for _, f := range flags {
		ids = append(ids, f.InteractionID)
	}
	require.Equal(t, []string{"a", "c", "line 5"}, ids)
	require.Equal(t, schemas.Origin{Topic: "file", Offset: 4}, flags[1].Origin, "the offset is the line")
}

func TestCheckKeepsTheOrderOfLines(t *testing.T) {
	m := answerScorer{release: make(chan struct{})} // the first line is done only after the second
	flags, _, _, err := runCheck(t, strings.NewReader(`{"interaction_id":"1","answer":"slow"}`+"\n"+`{"interaction_id":"2","answer":"quick"}`), m)
	require.NoError(t, err)
	require.Equal(t, "1", flags[0].InteractionID)
	require.Equal(t, "2", flags[1].InteractionID)
}

func TestCheckReadsGzip(t *testing.T) {
	var packed bytes.Buffer
	w := gzip.NewWriter(&packed)
	fmt.Fprintln(w, `{"interaction_id":"a","answer":"fine"}`)
	require.NoError(t, w.Close())
	flags, _, _, err := runCheck(t, &packed, answerScorer{})
	require.NoError(t, err)
	require.Len(t, flags, 1)
}

func TestCheckReportsATruncatedFile(t *testing.T) {
	var packed bytes.Buffer
	w := gzip.NewWriter(&packed)
	for i := range 2000 {
		fmt.Fprintf(w, `{"interaction_id":"%d","answer":"fine"}`+"\n", i*7919)
	}
	require.NoError(t, w.Close())
	_, _, _, err := runCheck(t, bytes.NewReader(packed.Bytes()[:packed.Len()/2]), answerScorer{})
	require.ErrorIs(t, err, io.ErrUnexpectedEOF)
}

type brokenWriter struct{}

func (brokenWriter) Write([]byte) (int, error) { return 0, errors.New("broken pipe") }

func TestCheckEndsWhenTheOutputIsClosed(t *testing.T) {
	input := strings.Repeat(`{"interaction_id":"a","answer":"fine"}`+"\n", 10_000)
	_, err := Run(t.Context(), strings.NewReader(input), brokenWriter{}, io.Discard, Options{
		Admit: answerScorer{}.Admit, Evaluate: answerScorer{}.Measure, Now: time.Now, Workers: 2,
	})
	require.ErrorContains(t, err, "broken pipe")
}

// A line that holds several objects, or one in another form, is read object by object.
func TestLinesOfSeveralObjects(t *testing.T) {
	const a, b = `{"interaction_id":"a","answer":"x"}`, `{"interaction_id":"b","answer":"x } { y"}`
	for line, want := range map[string]string{
		"[" + a + "," + b + "]": "a0 b1",
		a + " " + b:             "a0 b1",
		a + b:                   "a0 b1",
		b:                       "b0",
		`"{\"interaction_id\":\"a\",\"answer\":\"x\"}"`:         "a0",
		`{"interaction_id":"a","answer":"x","temperature":NaN}`: "a0",
		"[" + a + `,{"interaction_id":"c"}]`:                    "a0 bad",
		"[" + strings.Repeat(a+",", json.MaxValues) + a + "]":   "bad",
		"[1]": "bad",
	} {
		flags, messages, res, err := runCheck(t, strings.NewReader(line+"\n"+`{"interaction_id":"last","answer":"x"}`+"\n"), answerScorer{})
		require.NoError(t, err)
		var got []string
		for i := range flags[:len(flags)-1] {
			got = append(got, fmt.Sprint(flags[i].InteractionID, flags[i].Origin.Index))
		}
		require.Equal(t, int64(2), flags[len(flags)-1].Origin.Offset)
		if res.Bad > 0 {
			got = append(got, "bad")
			require.Contains(t, messages, "line 1: ")
		}
		require.Equal(t, want, strings.Join(got, " "), line)
	}
}
