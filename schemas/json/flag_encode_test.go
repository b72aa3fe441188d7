package json

import (
	"math"
	"reflect"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"confab/internal/recordformat"
	"confab/schemas"
)

// encodedByReflection is the form of flags that package encoding/json writes.
func encodedByReflection(f *schemas.Flag) ([]byte, error) {
	clean := recordformat.FiniteFlag(f)
	if clean.Fired == nil {
		clean.Fired = []string{}
	}
	return appendJSON(nil, "flag", &clean)
}

func TestAppendFlagAsEncodingJSON(t *testing.T) {
	full := fullFlag()
	for name, f := range map[string]schemas.Flag{"full": full, "empty": {}, "empty grounding": {Grounding: &schemas.Grounding{}}} {
		t.Run(name, func(t *testing.T) { requireSameJSON(t, &f) })
	}
	rapid.Check(t, func(t *rapid.T) {
		f := drawFlag(t)
		requireSameJSON(t, &f)
	})
}

// Texts are read eight bytes at a time: every byte is found at every place.
func TestAppendFlagEscapesAtEveryPlace(t *testing.T) {
	for at := range 17 {
		for b := range 256 {
			text := []byte("seventeen letters")
			text[at] = byte(b)
			requireSameJSON(t, &schemas.Flag{Question: string(text)})
		}
	}
}

// A field that is added to a flag is added to its encoder too.
func TestAppendFlagWritesEveryField(t *testing.T) {
	var f schemas.Flag
	fillFields(reflect.ValueOf(&f).Elem())
	requireSameJSON(t, &f)
}

// fillFields sets every field to a value that is not zero.
func fillFields(v reflect.Value) {
	switch v.Kind() {
	case reflect.String:
		v.SetString("x")
	case reflect.Bool:
		v.SetBool(true)
	case reflect.Float64:
		v.SetFloat(0.5)
	case reflect.Int, reflect.Int32, reflect.Int64:
		v.SetInt(7)
	case reflect.Pointer:
		v.Set(reflect.New(v.Type().Elem()))
		fillFields(v.Elem())
	case reflect.Slice:
		v.Set(reflect.MakeSlice(v.Type(), 2, 2))
		fillFields(v.Index(0))
	case reflect.Map:
		item := reflect.New(v.Type().Elem()).Elem()
		fillFields(item)
		v.Set(reflect.MakeMap(v.Type()))
		v.SetMapIndex(reflect.ValueOf("key"), item)
	case reflect.Struct:
		if v.Type() == reflect.TypeFor[time.Time]() {
			v.Set(reflect.ValueOf(time.Unix(1, 5)))
			return
		}
		for _, field := range v.Fields() {
			fillFields(field)
		}
	default:
		panic("no value for " + v.Type().String())
	}
}

func requireSameJSON(t require.TestingT, f *schemas.Flag) {
	want, wantErr := encodedByReflection(f)
	got, err := AppendFlag([]byte("kept"), f)
	require.Equal(t, wantErr != nil, err != nil)
	require.Equal(t, "kept"+string(want), string(got))
}

// drawFlag draws a flag with any texts, bytes that are not UTF-8 too, any numbers and any times.
func drawFlag(t *rapid.T) schemas.Flag {
	text := rapid.OneOf(rapid.Just(""), rapid.String(), rapid.Map(rapid.SliceOf(rapid.Byte()), func(b []byte) string { return string(b) }),
		rapid.SampledFrom([]string{"\u2028\u2029", "\b\f\n\r\t\x00\x1f\x7f", "<a href=\"x\">&\\", "\xe2\x80", "\xff", "\uFFFD", "\U0001f600"}))
	number := rapid.OneOf(rapid.Just(0.0), rapid.Float64(), rapid.Float64Range(0, 1), rapid.SampledFrom([]float64{
		math.NaN(), math.Inf(1), math.Inf(-1), math.Copysign(0, -1), 1e-7, 9.99e-7, 1e-6, 1e20, 1e21, 1e22, 1e-10, 1e-100, 5e-324, math.MaxFloat64, 0.1, 100, -2.5e-9,
	}))
	integer := rapid.OneOf(rapid.Just(0), rapid.Int())
	moment := rapid.Custom(func(t *rapid.T) time.Time {
		at := time.Unix(rapid.Int64Range(-70_000_000_000, 260_000_000_000).Draw(t, "s"), rapid.Int64Range(0, 999_999_999).Draw(t, "ns"))
		return rapid.SampledFrom([]time.Time{{}, at.UTC(), at.In(time.FixedZone("", 19800)), at.In(time.FixedZone("", -90061)), time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)}).Draw(t, "zone")
	})
	f := schemas.Flag{
		IncidentID: text.Draw(t, "id"), Pass: schemas.Pass(text.Draw(t, "pass")), InteractionID: text.Draw(t, "interaction"), Tenant: text.Draw(t, "tenant"),
		Service: text.Draw(t, "service"), Operation: text.Draw(t, "operation"), Provider: text.Draw(t, "provider"), Model: text.Draw(t, "model"),
		TraceID: text.Draw(t, "trace"), SpanID: text.Draw(t, "span"), ConversationID: text.Draw(t, "conversation"),
		Tags: rapid.SliceOfN(text, 0, 3).Draw(t, "tags"), OccurredAt: moment.Draw(t, "occurred"), DetectedAt: moment.Draw(t, "detected"),
		Origin: schemas.Origin{Topic: text.Draw(t, "topic"), Partition: rapid.Int32().Draw(t, "partition"), Offset: rapid.Int64().Draw(t, "offset"), Index: integer.Draw(t, "index")},
		Fired:  rapid.SliceOfN(text, 0, 3).Draw(t, "fired"), Recommendation: schemas.Recommendation(text.Draw(t, "recommendation")),
		Action: schemas.Action(text.Draw(t, "action")), Alert: rapid.Bool().Draw(t, "alert"), Calibration: text.Draw(t, "calibration"),
		WorkerVersion: text.Draw(t, "version"), Truncated: rapid.Bool().Draw(t, "truncated"),
		Sampled: rapid.Bool().Draw(t, "sampled"), SampleReason: text.Draw(t, "why"), SampleProbability: number.Draw(t, "p"), IDSource: text.Draw(t, "source"),
		Attributes: rapid.MapOfN(text, text, 0, 20).Draw(t, "attributes"), AnomalousRates: rapid.MapOfN(text, number, 0, 3).Draw(t, "rates"),
		SourcesFrom: text.Draw(t, "from"), Question: text.Draw(t, "question"),
		Checked: schemas.Checked(text.Draw(t, "checked")), Unchecked: rapid.SliceOfN(text, 0, 3).Draw(t, "unchecked"),
	}
	if rapid.Bool().Draw(t, "risky") {
		risk := number.Draw(t, "risk")
		f.Risk = &risk
	}
	if rapid.Bool().Draw(t, "grounded") {
		f.Grounding = &schemas.Grounding{Grounded: rapid.Bool().Draw(t, "g"), Confidence: number.Draw(t, "c"), OverallSimilarity: number.Draw(t, "o"), UngroundedClaims: integer.Draw(t, "n"), Source: text.Draw(t, "s")}
		for range rapid.IntRange(0, 2).Draw(t, "claims") {
			f.Grounding.UngroundedClaimList = append(f.Grounding.UngroundedClaimList, schemas.Claim{Start: integer.Draw(t, "a"), End: integer.Draw(t, "b"), Excerpt: text.Draw(t, "e"), Similarity: number.Draw(t, "s")})
		}
	}
	for range rapid.IntRange(0, 3).Draw(t, "signals") {
		f.Signals = append(f.Signals, drawSignal(t, text, number, integer))
	}
	return f
}

func drawSignal(t *rapid.T, text *rapid.Generator[string], number *rapid.Generator[float64], integer *rapid.Generator[int]) schemas.Signal {
	s := schemas.Signal{
		Detector: text.Draw(t, "detector"), Outcome: rapid.SampledFrom([]schemas.Outcome{schemas.Fired, schemas.Clear, schemas.Skipped, ""}).Draw(t, "outcome"),
		Score: number.Draw(t, "score"), Threshold: number.Draw(t, "threshold"), Measures: rapid.MapOfN(text, number, 0, 20).Draw(t, "measures"),
		Type: schemas.SignalType(text.Draw(t, "type")), Reason: text.Draw(t, "reason"),
	}
	for range rapid.IntRange(0, 2).Draw(t, "evidence") {
		s.Evidence = append(s.Evidence, schemas.Evidence{
			Start: integer.Draw(t, "a"), End: integer.Draw(t, "b"), Excerpt: text.Draw(t, "e"), Citation: text.Draw(t, "c"), SourceID: text.Draw(t, "id"),
			SourceStart: integer.Draw(t, "c"), SourceEnd: integer.Draw(t, "d"), Similarity: number.Draw(t, "s"), Note: text.Draw(t, "n"),
			SourceNumber: integer.Draw(t, "n"), SourceExcerpt: text.Draw(t, "x"), SourceSays: text.Draw(t, "y"),
		})
	}
	for range rapid.IntRange(0, 2).Draw(t, "statements") {
		s.Statements = append(s.Statements, schemas.Statement{
			Start: integer.Draw(t, "a"), End: integer.Draw(t, "b"), Text: text.Draw(t, "t"), Verdict: text.Draw(t, "v"), Reason: text.Draw(t, "r"), Confidence: number.Draw(t, "c"),
		})
	}
	return s
}
