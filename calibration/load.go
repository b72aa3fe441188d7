package calibration

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"

	"go.yaml.in/yaml/v3"
)

// MaxBytes bounds a calibration file: thresholds of thousands of tenants fit.
const MaxBytes = 1 << 20

// maxProblems bounds what is reported about one file.
const maxProblems = 100

// Load reads a calibration file. It is strict: an unknown, repeated or missing key, a wrong type and a value out of
// range are all reported at once, one *Problem each, joined.
func Load(r io.Reader) (*Calibration, error) {
	data, err := io.ReadAll(io.LimitReader(r, MaxBytes+1))
	if err != nil {
		return nil, fmt.Errorf("calibration: read: %w", err)
	}
	if len(data) > MaxBytes {
		return nil, fmt.Errorf("calibration: the file is larger than %d bytes, which is the limit: is it the right one?", MaxBytes)
	}
	root, err := parse(data)
	if err != nil {
		return nil, fmt.Errorf("calibration: %w", err)
	}
	d := decoder{nodes: make(map[string]*yaml.Node)}
	f := d.file(root)
	problems := d.problems
	if !d.foreign {
		problems = append(problems, d.judgeable(f.validate(d.place))...)
	}
	if len(problems) > 0 {
		return nil, fmt.Errorf("calibration: %w", join(problems))
	}
	return New(f)
}

// parse is the single YAML document in data.
func parse(data []byte) (*yaml.Node, error) {
	dec := yaml.NewDecoder(bytes.NewReader(data))
	var doc, next yaml.Node
	if err := dec.Decode(&doc); errors.Is(err, io.EOF) {
		return nil, &Problem{Line: 1, Column: 1, Message: "the file is empty: write one with confab calibrate"}
	} else if err != nil {
		return nil, err
	}
	if err := dec.Decode(&next); !errors.Is(err, io.EOF) {
		return nil, &Problem{Line: next.Line, Column: next.Column, Message: "a second YAML document: a file holds one"}
	}
	return doc.Content[0], nil
}

// judgeable drops complaints about values whose shape, or whose parent's shape, was already refused.
func (d *decoder) judgeable(values []*Problem) []*Problem {
	refused := make(map[string]bool, len(d.problems))
	for _, p := range d.problems {
		refused[p.Field] = true
	}
	return slices.DeleteFunc(values, func(p *Problem) bool {
		return refused[p.Field] || refused[parent(p.Field)]
	})
}

func parent(field string) string { return field[:max(0, strings.LastIndexByte(field, '.'))] }

// decoder fills a File from YAML nodes and remembers where each field stood.
type decoder struct {
	nodes    map[string]*yaml.Node
	problems []*Problem
	foreign  bool // another format: nothing else of the file can be judged
}

// setters are the keys that a mapping may have, with what takes each value.
type setters map[string]func(field string, n *yaml.Node)

func (d *decoder) file(root *yaml.Node) File {
	var f File
	d.nodes[""] = root
	if format := child(root, "format"); format != nil {
		d.integer(&f.Format)("format", format)
		if len(d.problems) == 0 && f.Format != Format {
			d.foreign = true
			d.report("format", format, "%s", formatMessage(f.Format))
			return f
		}
		d.problems = nil // reported again below, in its turn
	}
	d.mapping("", root, setters{
		"format": d.integer(&f.Format), "id": d.text(&f.ID), "created_by": d.text(&f.CreatedBy), "model": d.text(&f.Model),
		"data": func(field string, n *yaml.Node) {
			d.mapping(field, n, setters{
				"fingerprint": d.text(&f.Data.Fingerprint), "rows": d.integer(&f.Data.Rows), "positives": d.integer(&f.Data.Positives),
			})
		},
		"thresholds": func(field string, n *yaml.Node) { f.Thresholds = list(d, field, n, d.threshold) },
		"baselines":  func(field string, n *yaml.Node) { f.Baselines = list(d, field, n, d.baseline) },
		"rule":       func(field string, n *yaml.Node) { f.Rule = d.rule(field, n) },
		"risk":       func(field string, n *yaml.Node) { f.Risk = list(d, field, n, d.risk) },

		"reliability": func(field string, n *yaml.Node) { f.Reliability = d.reliability(field, n) },
	})
	return f
}

func (d *decoder) threshold(field string, n *yaml.Node) (t Threshold) {
	d.mapping(field, n, setters{
		"detector": d.text(&t.Detector), "tenant": d.text(&t.Tenant), "operation": d.text(&t.Operation),
		"threshold": d.number(&t.Threshold), "armed": d.boolean(&t.Armed), "precision": d.number(&t.Precision),
		"precision_low": d.number(&t.PrecisionLow), "recall": d.number(&t.Recall), "n": d.integer(&t.N),
	}, "threshold", "armed")
	return t
}

func (d *decoder) baseline(field string, n *yaml.Node) (b Baseline) {
	band := (*string)(&b.TemperatureBand)
	d.mapping(field, n, setters{
		"model": d.text(&b.Model), "operation": d.text(&b.Operation), "temperature_band": d.text(band),
		"mean": d.number(&b.Mean), "stdev": d.number(&b.Stdev), "median": d.number(&b.Median), "mad": d.number(&b.MAD),
		"peak_mean": d.number(&b.PeakMean), "peak_stdev": d.number(&b.PeakStdev),
		"peak_median": d.number(&b.PeakMedian), "peak_mad": d.number(&b.PeakMAD),
		"min_logprob_mean": d.number(&b.MinLogprobMean), "min_logprob_stdev": d.number(&b.MinLogprobStdev),
		"n": d.integer(&b.N), "statistic": d.text((*string)(&b.Statistic)),
	}, "mean", "stdev", "peak_mean", "peak_stdev", "n")
	return b
}

// mapping hands each value of a mapping to its setter and complains about every other key.
func (d *decoder) mapping(field string, n *yaml.Node, known setters, required ...string) {
	if n.Kind != yaml.MappingNode {
		d.report(field, n, "want a mapping of keys to values, got %s", describe(n))
		return
	}
	seen := make(map[string]bool, len(known))
	for i := 0; i+1 < len(n.Content) && len(d.problems) <= maxProblems; i += 2 {
		key, value := n.Content[i], n.Content[i+1]
		name := strings.TrimPrefix(field+"."+key.Value, ".")
		set, ok := known[key.Value]
		switch {
		case !ok:
			d.report(name, key, "unknown key: known are %s", strings.Join(slices.Sorted(maps.Keys(known)), ", "))
		case seen[key.Value]:
			d.report(name, key, "repeats a key: keep one of them")
		default:
			d.nodes[name] = value
			set(name, value)
		}
		seen[key.Value] = true
	}
	for _, key := range required {
		if !seen[key] {
			d.report(strings.TrimPrefix(field+"."+key, "."), n, "is missing")
		}
	}
}

func list[T any](d *decoder, field string, n *yaml.Node, decode func(string, *yaml.Node) T) []T {
	if n.Kind == yaml.ScalarNode && n.Tag == "!!null" {
		return nil
	}
	if n.Kind != yaml.SequenceNode {
		d.report(field, n, "want a list, got %s", describe(n))
		return nil
	}
	values := make([]T, len(n.Content))
	for i, item := range n.Content {
		name := fmt.Sprintf("%s[%d]", field, i)
		d.nodes[name] = item
		values[i] = decode(name, item)
	}
	return values
}

func (d *decoder) text(dst *string) func(string, *yaml.Node) { return scalar(d, dst, "text", "!!str") }

func (d *decoder) boolean(dst *bool) func(string, *yaml.Node) {
	return scalar(d, dst, "true or false", "!!bool")
}

func (d *decoder) integer(dst *int) func(string, *yaml.Node) {
	return scalar(d, dst, "a whole number", "!!int")
}

func (d *decoder) number(dst *float64) func(string, *yaml.Node) {
	return scalar(d, dst, "a number", "!!float", "!!int")
}

// scalar takes a plain value of one of the tags. Aliases are no scalars here, so a file cannot grow while it is read.
func scalar[T any](d *decoder, dst *T, want string, tags ...string) func(string, *yaml.Node) {
	return func(field string, n *yaml.Node) {
		if n.Kind != yaml.ScalarNode || !slices.Contains(tags, n.Tag) || n.Decode(dst) != nil {
			d.report(field, n, "want %s, got %s", want, describe(n))
		}
	}
}

func (d *decoder) report(field string, n *yaml.Node, format string, args ...any) {
	switch {
	case len(d.problems) < maxProblems:
		d.problems = append(d.problems, &Problem{Line: n.Line, Column: n.Column, Field: field, Message: fmt.Sprintf(format, args...)})
	case len(d.problems) == maxProblems:
		d.problems = append(d.problems, &Problem{Line: n.Line, Column: n.Column, Message: "further problems are not shown: correct these first"})
	}
}

// place is where the field stands, or the nearest thing around it when the field itself is absent.
func (d *decoder) place(field string) (line, column int) {
	for {
		if n := d.nodes[field]; n != nil {
			return n.Line, n.Column
		}
		field = parent(field)
	}
}

func child(n *yaml.Node, key string) *yaml.Node {
	if n.Kind != yaml.MappingNode {
		return nil
	}
	for i := 0; i+1 < len(n.Content); i += 2 {
		if n.Content[i].Value == key {
			return n.Content[i+1]
		}
	}
	return nil
}

func describe(n *yaml.Node) string {
	switch n.Kind {
	case yaml.MappingNode:
		return "a mapping"
	case yaml.SequenceNode:
		return "a list"
	case yaml.AliasNode:
		return "an alias (write the value out)"
	default:
		return fmt.Sprintf("%q", n.Value)
	}
}
