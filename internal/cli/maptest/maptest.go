package maptest

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

	"confab/internal/jsonl"
	"confab/schemas"
	records "confab/schemas/json"
	"confab/schemas/json/scan"
)

// Decoder reads a record of an input topic.
type Decoder interface {
	Decode(raw []byte, in *schemas.Interaction) error
}

// OpenInput returns the decoder of an input topic; of the only or first one for "".
type OpenInput func(topic string) (Decoder, error)

// Result counts the tests.
type Result struct{ Tests, Failed int }

// mapTest is one line of a test file.
type mapTest struct {
	Name   string                     `json:"name"`
	Input  string                     `json:"input"`
	Record json.RawMessage            `json:"record"`
	Expect map[string]json.RawMessage `json:"expect"`
}

// expectation is what a record should become.
type expectation struct {
	refused   string // reason; "" for none
	skipped   bool
	malformed []string
	fields    map[string]json.RawMessage // canonical values; nil for absent ones
}

// RunFiles runs the tests of several files as RunTests does.
func RunFiles(names []string, w io.Writer, open OpenInput) (Result, error) {
	var all Result
	for _, name := range names {
		f, err := os.Open(name)
		if err != nil {
			return all, err
		}
		res, err := RunTests(name, f, w, open)
		f.Close()
		if err != nil {
			return all, err
		}
		all.Tests, all.Failed = all.Tests+res.Tests, all.Failed+res.Failed
	}
	return all, nil
}

// RunTests runs the tests of a file, JSON Lines of {"name", "input", "record", "expect"}, and writes every difference to w.
// expect holds fields of the interaction, of which others may have any value, "malformed": names; or {"refused": reason}
// or {"skipped": true}. The error says that the file cannot be used.
func RunTests(name string, r io.Reader, w io.Writer, open OpenInput) (Result, error) {
	var res Result
	lines, err := jsonl.NewReader(r, records.MaxLabelledBytes)
	if err != nil {
		return res, fmt.Errorf("read %s: %w", name, err)
	}
	for {
		line, err := lines.Next()
		if errors.Is(err, io.EOF) {
			break
		}
		at := fmt.Sprintf("%s:%d", name, lines.Number())
		if err != nil {
			return res, fmt.Errorf("%s: %w", at, err)
		}
		test, want, err := parseTest(line)
		if err != nil {
			return res, fmt.Errorf("%s: %w", at, err)
		}
		decoder, err := open(test.Input)
		if err != nil {
			return res, fmt.Errorf("%s: input: %w", at, err)
		}
		res.Tests++
		if differences := want.compare(decoder, test.Record); len(differences) > 0 {
			res.Failed++
			fmt.Fprintf(w, "FAIL %s %s\n%s\n", at, test.Name, strings.Join(differences, "\n"))
		}
	}
	if res.Tests == 0 {
		return res, fmt.Errorf(`%s: holds no tests: write one a line, such as {"input": "topic", "record": {}, "expect": {"answer": ""}}`, name)
	}
	return res, nil
}

// parseTest parses one line.
func parseTest(line []byte) (t mapTest, want expectation, err error) {
	d := json.NewDecoder(bytes.NewReader(line))
	d.DisallowUnknownFields()
	if err := d.Decode(&t); err != nil {
		return t, want, fmt.Errorf("expected an object of name, input, record and expect: %w", err)
	}
	switch {
	case d.More():
		return t, want, errors.New("expected one object a line")
	case len(t.Record) == 0:
		return t, want, errors.New("record is missing")
	case len(t.Expect) == 0:
		return t, want, errors.New(`expect is missing or empty: name at least one field, or {"refused": "unmapped"} or {"skipped": true}`)
	}
	want, err = parseExpectation(t.Expect)
	return t, want, err
}

func parseExpectation(expect map[string]json.RawMessage) (want expectation, err error) {
	for key, into := range map[string]any{"refused": &want.refused, "skipped": &want.skipped, "malformed": &want.malformed} {
		value, found := expect[key]
		if !found {
			continue
		}
		if err := json.Unmarshal(value, into); err != nil {
			return want, fmt.Errorf("expect.%s: %w", key, err)
		}
		delete(expect, key)
	}
	if want.refused != "" && !slices.Contains(scan.Reasons(), want.refused) {
		return want, fmt.Errorf("expect.refused: %q is not a reason: known are %s", want.refused, strings.Join(scan.Reasons(), ", "))
	}
	outcomes := 0
	for _, named := range []bool{want.refused != "", want.skipped, len(expect) > 0 || want.malformed != nil} {
		if named {
			outcomes++
		}
	}
	switch outcomes {
	case 0:
		return want, errors.New("expect: names nothing")
	case 1:
		slices.Sort(want.malformed)
		want.fields, err = canonicalExpectation(expect)
		return want, err
	default:
		return want, errors.New("expect: a record is read, refused or skipped: expect one of them")
	}
}

// canonicalExpectation returns expected fields as an interaction with them is written.
func canonicalExpectation(expect map[string]json.RawMessage) (map[string]json.RawMessage, error) {
	if len(expect) == 0 {
		return nil, nil //nolint:nilnil // no fields are expected
	}
	for field := range expect {
		if !slices.Contains(records.FieldNames(), field) {
			return nil, fmt.Errorf("expect.%s is not a field of an interaction: known are %s", field, strings.Join(records.FieldNames(), ", "))
		}
	}
	in, err := expectedInteraction(expect)
	if err != nil {
		return nil, err
	}
	all, err := canonicalFields(in)
	if err != nil {
		return nil, err
	}
	fields := make(map[string]json.RawMessage, len(expect))
	for field := range expect {
		switch field {
		case "prompt":
			fields["messages"] = all["messages"]
		case "logprobs", "token_logprobs", "top_k":
			for _, f := range []string{"logprobs", "token_logprobs", "top_k"} {
				fields[f] = all[f]
			}
		default:
			fields[field] = all[field]
		}
	}
	return fields, nil
}

// expectedInteraction reads expected fields as a record of our own.
func expectedInteraction(expect map[string]json.RawMessage) (*schemas.Interaction, error) {
	record := maps.Clone(expect)
	if _, found := record["answer"]; !found {
		record["answer"] = json.RawMessage(`""`)
	}
	raw, err := json.Marshal(record)
	if err != nil {
		return nil, fmt.Errorf("expect: %w", err)
	}
	var in schemas.Interaction
	if err := records.NewDecoder(records.Options{}).Decode(raw, &in); err != nil {
		return nil, fmt.Errorf("expect: %w", err)
	}
	if len(in.Malformed) > 0 {
		return nil, fmt.Errorf("expect.%s cannot have that value: see docs/interaction.md", in.Malformed[0])
	}
	return &in, nil
}

func canonicalFields(in *schemas.Interaction) (map[string]json.RawMessage, error) {
	raw, err := records.AppendInteraction(nil, in)
	if err != nil {
		return nil, err
	}
	var fields map[string]json.RawMessage
	if err := json.Unmarshal(raw, &fields); err != nil {
		return nil, fmt.Errorf("read fields: %w", err)
	}
	return fields, nil
}
