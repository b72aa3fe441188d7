package records_test

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"confab/internal/files"
	"confab/internal/worker/config"
	"confab/internal/worker/records"
	"confab/schemas"
	confabjson "confab/schemas/json"
	"confab/schemas/json/scan"
)

// sampleDecoder reads a record of an input topic.
type sampleDecoder interface {
	Decode(raw []byte, in *schemas.Interaction) error
}

// openInput returns the decoder of an input topic; of the only or first one for "".
type openInput func(topic string) (sampleDecoder, error)

// sampleResult counts the tests.
type sampleResult struct{ Tests, Failed int }

// mapTest is one line of a test file. Expect holds fields of the interaction, of which others may have any value, "malformed":
// names; or {"refused": reason}; or {"skipped": true}.
type mapTest struct {
	Name   string          `json:"name"`
	Input  string          `json:"input"`
	Record json.RawMessage `json:"record"`
	Expect outcome         `json:"expect"`
}

// outcome is what becomes of a record, by name: fields as an interaction with them is written, "malformed", "refused" or
// "skipped". Nothing is nil.
type outcome map[string]json.RawMessage

const (
	malformed  = "malformed"
	refused    = "refused"
	skipped    = "skipped"
	attributes = "attributes"
)

// runSamples runs the tests of a file, JSON Lines, and writes every difference to w. The error says that the file cannot be used.
func runSamples(name string, r io.Reader, w io.Writer, open openInput) (res sampleResult, err error) {
	lines, err := files.NewLines(r, confabjson.MaxLabelledBytes)
	if err != nil {
		return res, fmt.Errorf("read %s: %w", name, err)
	}
	for {
		line, err := lines.Next()
		if errors.Is(err, io.EOF) {
			break
		}
		at := fmt.Sprintf("%s:%d", name, lines.Number())
		var t mapTest
		if err == nil {
			t, err = parseTest(line)
		}
		if err != nil {
			return res, fmt.Errorf("%s: %w", at, err)
		}
		decoder, err := open(t.Input)
		if err != nil {
			return res, fmt.Errorf("%s: input: %w", at, err)
		}
		res.Tests++
		var in schemas.Interaction
		got, err := outcomeOf(&in, decoder.Decode(t.Record, &in))
		if err != nil {
			return res, fmt.Errorf("%s: %w", at, err)
		}
		if differences := t.Expect.compare(got); differences != "" {
			res.Failed++
			fmt.Fprintf(w, "FAIL %s %s\n%s", at, t.Name, differences)
		}
	}
	if res.Tests == 0 {
		return res, fmt.Errorf(`%s: holds no tests: write one a line, such as {"input": "topic", "record": {}, "expect": {"answer": ""}}`, name)
	}
	return res, nil
}

// outcomeOf is what became of a record that was decoded.
func outcomeOf(in *schemas.Interaction, err error) (outcome, error) {
	bad, is := errors.AsType[*scan.Error](err)
	switch {
	case errors.Is(err, confabjson.ErrSkipped):
		return outcome{skipped: json.RawMessage("true")}, nil
	case is:
		return outcome{refused: json.RawMessage(fmt.Sprintf("%q", bad.Reason))}, nil
	case err != nil:
		return nil, err
	}
	raw, err := confabjson.AppendInteraction(nil, in)
	if err != nil {
		return nil, err
	}
	var fields outcome
	if err := json.Unmarshal(raw, &fields); err != nil {
		return nil, fmt.Errorf("read fields: %w", err)
	}
	if slices.Sort(in.Malformed); len(in.Malformed) > 0 {
		fields[malformed], err = json.Marshal(in.Malformed)
	}
	return fields, err
}

// parseTest parses one line.
func parseTest(line []byte) (t mapTest, err error) {
	d := json.NewDecoder(bytes.NewReader(line))
	d.DisallowUnknownFields()
	if err := d.Decode(&t); err != nil {
		return t, fmt.Errorf("expected an object of name, input, record and expect: %w", err)
	}
	switch {
	case d.More():
		return t, errors.New("expected one object a line")
	case len(t.Record) == 0:
		return t, errors.New("record is missing")
	case len(t.Expect) == 0:
		return t, errors.New(`expect is missing or empty: name at least one field, or {"refused": "unmapped"} or {"skipped": true}`)
	case t.Expect[refused] == nil && t.Expect[skipped] == nil:
		t.Expect, err = canonical(t.Expect)
		return t, err
	case len(t.Expect) > 1:
		return t, errors.New("expect: a record is read, refused or skipped: expect one of them")
	case t.Expect[skipped] != nil && string(t.Expect[skipped]) != "true":
		return t, errors.New("expect.skipped: write true")
	}
	if reason := strings.Trim(string(t.Expect[refused]), `"`); t.Expect[refused] != nil && !slices.Contains(scan.Reasons(), reason) {
		return t, fmt.Errorf("expect.refused: %q is not a reason: known are %s", reason, strings.Join(scan.Reasons(), ", "))
	}
	return t, nil
}

// canonical returns expected fields as an interaction with them is written.
func canonical(expect outcome) (outcome, error) {
	record := maps.Clone(expect)
	delete(record, malformed)
	for field := range record {
		if !slices.Contains(confabjson.FieldNames(), field) {
			return nil, fmt.Errorf("expect.%s is not a field of an interaction: known are %s", field, strings.Join(confabjson.FieldNames(), ", "))
		}
	}
	if record["answer"] == nil {
		record["answer"] = json.RawMessage(`""`)
	}
	raw, err := json.Marshal(record)
	if err != nil {
		return nil, fmt.Errorf("expect: %w", err)
	}
	var in schemas.Interaction
	if err := confabjson.NewDecoder(confabjson.Options{}).Decode(raw, &in); err != nil {
		return nil, fmt.Errorf("expect: %w", err)
	}
	if len(in.Malformed) > 0 {
		return nil, fmt.Errorf("expect.%s cannot have that value: see docs/interaction.md", in.Malformed[0])
	}
	if expect[malformed] != nil {
		if err := json.Unmarshal(expect[malformed], &in.Malformed); err != nil {
			return nil, fmt.Errorf("expect.malformed: %w", err)
		}
	}
	all, err := outcomeOf(&in, nil)
	want := outcome{malformed: all[malformed]}
	written := map[string][]string{"prompt": {"messages"}, "logprobs": {"logprobs", "token_logprobs", "top_k"}}
	for field := range expect {
		names := written[field]
		if names == nil {
			names = []string{field}
		}
		for _, name := range names {
			want[name] = all[name]
		}
	}
	return want, err
}

// compare describes the differences of what is expected, some lines for each; of attributes only the expected ones.
func (want outcome) compare(got outcome) string {
	var b strings.Builder
	names := outcome{refused: nil, skipped: nil}
	if got[refused] == nil && got[skipped] == nil && want[refused] == nil && want[skipped] == nil {
		maps.Copy(names, want)
	}
	for _, name := range slices.Sorted(maps.Keys(names)) {
		a, z := want[name], got[name]
		if name == attributes && a != nil {
			var wanted, found outcome
			_ = json.Unmarshal(a, &wanted) // both are written by the encoder
			_ = json.Unmarshal(z, &found)  // absent attributes are none
			for _, key := range slices.Sorted(maps.Keys(wanted)) {
				writeDifference(&b, name+"."+key, wanted[key], found[key])
			}
			continue
		}
		writeDifference(&b, name, a, z)
	}
	return b.String()
}

// maxShown bounds the text of a value in a difference.
const maxShown = 300

func writeDifference(b *strings.Builder, field string, want, got json.RawMessage) {
	if string(want) == string(got) {
		return
	}
	shown := func(value json.RawMessage) string {
		switch {
		case value == nil:
			return "nothing"
		case len(value) > maxShown:
			return strings.ToValidUTF8(string(value[:maxShown]), "") + "…"
		}
		return string(value)
	}
	fmt.Fprintf(b, "  %s\n    expected %s\n    got      %s\n", field, shown(want), shown(got))
}

// The samples of maps and presets are read as they say.
func TestSamplesOfMaps(t *testing.T) {
	for samples, file := range map[string]string{"existing-topics/openai.test.jsonl": "existing-topics/openai.yaml", "presets/presets.test.jsonl": "presets/presets.yaml"} {
		c, err := config.Load(config.LoadOptions{File: "../../../examples/" + file})
		require.NoError(t, err)
		f, err := os.Open("../../../examples/" + samples)
		require.NoError(t, err)
		var out strings.Builder
		_, err = runSamples(samples, f, &out, func(topic string) (sampleDecoder, error) { return records.NewFileInput(c, topic) })
		require.NoError(t, err)
		require.Empty(t, out.String())
		require.NoError(t, f.Close())
	}
}
