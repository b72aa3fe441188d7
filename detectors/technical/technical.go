// Package technical checks links, identifiers, packages and code that an answer names.
package technical

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"maps"
	"slices"

	"confab/detectors"
	"confab/internal/names"
	"confab/schemas"
)

const (
	reasonNoMentions = "no links, identifiers or packages"
	reasonNoIndex    = "no index"
)

// Options configure the technical detector.
type Options struct {
	// Indexes are files of package names by ecosystem (pypi, npm, go, crates, rubygems), built by `confab index`.
	// Without one, packages of an ecosystem are only compared with popular names.
	Indexes map[string]string `yaml:"indexes"`
}

// DefaultOptions use no index.
func DefaultOptions() Options { return Options{} }

// technical checks whether links, DOIs, arXiv ids, packages and imported modules can exist, and whether the prompt or the
// sources contain them. It makes no request: a well-formed name that does not exist is detected only with an index of names.
//
// A link or name that is in a source or in the prompt (without the assistant's turns) is clear. For others the first rule
// that matches gives a weight (rules.go). The score is the weight of the worst finding; findings of weight .5 and above are
// combined as independent: 1 − Π(1 − w).
//
// The rules are our own. That models invent package names, and which: Spracklen et al., "We Have a Package for You!"
// (USENIX Security 2025). Look-alike hosts: Unicode Technical Standard 39.
type technical struct {
	ecosystems map[names.Ecosystem]*ecosystemNames
	modules    map[string]string // Python modules whose distribution has another name
}

// ecosystemNames holds the known names of an ecosystem.
type ecosystemNames struct {
	index    *names.Index // nil: none configured
	popular  *names.List
	standard *names.List
	members  names.Members
}

// New returns the detector. open opens index files; with nil they are not read and only the options are checked.
func New(o Options, open func(path string) (io.ReadCloser, error)) (detectors.Detector, error) {
	t := &technical{ecosystems: map[names.Ecosystem]*ecosystemNames{}, modules: names.Imports()}
	for _, e := range names.Ecosystems() {
		t.ecosystems[e] = &ecosystemNames{popular: names.Popular(e), standard: names.Standard(e), members: names.KnownMembers(e)}
	}
	var errs []error
	for _, key := range slices.Sorted(maps.Keys(o.Indexes)) {
		e, err := names.ParseEcosystem(key)
		if err == nil && open != nil {
			t.ecosystems[e].index, err = openIndex(e, o.Indexes[key], open)
		}
		if err != nil {
			errs = append(errs, fmt.Errorf("indexes: %s: %w", key, err))
		}
	}
	return t, errors.Join(errs...)
}

func openIndex(e names.Ecosystem, path string, open func(string) (io.ReadCloser, error)) (*names.Index, error) {
	f, err := open(path)
	if err != nil {
		return nil, fmt.Errorf("%w: build it with `confab index --ecosystem %s`", err, e)
	}
	defer f.Close()
	index, err := names.ReadIndex(f)
	switch {
	case err != nil:
		return nil, fmt.Errorf("%s: %w", path, err)
	case index.Ecosystem() != e:
		return nil, fmt.Errorf("%s holds names of %s: configure it under that key, or build one with `confab index --ecosystem %s`",
			path, index.Ecosystem(), e)
	}
	return index, nil
}

// faulty is a mention with a fault.
type faulty struct {
	verdict
	kind     kind
	evidence detectors.Evidence
}

// scratch holds the detector's working data for one document; its storage is reused.
type scratch struct {
	answer  scanner
	work    *detectors.Work
	known   contextTexts
	faults  []faulty
	rows    []detectors.Evidence
	names   listedNames
	numbers [len(measureNames)]detectors.Measure
}

// measureNames are those of the mentions, by measureOf, and of the faults, by class.
var measureNames = [...]string{ //nolint:gochecknoglobals // a read-only table
	"urls", "dois", "packages", "imports", "members", "calls", "unknown_names", "near_misses", "not_in_context", "malformed",
}

var (
	measureOf = [...]int{url: 0, mail: 0, doi: 1, arXiv: 1, packageName: 2, python: 3, script: 3, golang: 3, rust: 3, rustStd: 3, //nolint:gochecknoglobals // a read-only table
		member: 4, endpoint: 5, call: 5, keyword: 5}
	measureOfClass = map[class]int{unknownName: 6, nearMiss: 7, notInContext: 8, malformed: 9} //nolint:gochecknoglobals // a read-only table
)

func (s *scratch) reset(doc *detectors.Document) {
	s.work = doc.Work()
	s.answer.reset(doc.Answer(), s.work)
	s.faults, s.rows, s.names.read = s.faults[:0], s.rows[:0], false
	for i, name := range measureNames {
		s.numbers[i] = detectors.Measure{Name: name}
	}
}

// Detect measures urls (mail addresses included), dois (arXiv ids included), packages, imports, members and calls (endpoints and
// keyword arguments included) found; and of them unknown_names, near_misses, not_in_context and malformed.
func (t *technical) Detect(_ context.Context, doc *detectors.Document) (detectors.Finding, error) {
	s, _ := detectors.Scratch[scratch](doc)
	s.reset(doc)
	s.answer.scan()
	if s.work.Ended() != "" {
		return detectors.Finding{}, nil
	}
	if len(s.answer.mentions) == 0 {
		return detectors.Finding{NotCheckable: reasonNoMentions}, nil
	}
	s.known.reset(doc)
	c, checked := checker{t, s, doc}, 0
	for i := range s.answer.mentions {
		m := &s.answer.mentions[i]
		if !s.work.Spend(mentionCost) {
			return detectors.Finding{}, nil
		}
		v := assessors[m.kind](&c, m, s.answer.answer[m.start:m.end])
		s.numbers[measureOf[m.kind]].Value++
		if v.rule == undecided {
			continue
		}
		checked++
		if v.rule != sound {
			s.add(m, v)
		}
	}
	f := detectors.Finding{Type: schemas.Fabrication, Truncated: s.answer.full, Measures: doc.Measures(s.numbers[:]...)}
	if checked == 0 {
		return detectors.Finding{NotCheckable: reasonNoIndex, Measures: f.Measures}, nil
	}
	if len(s.faults) == 0 {
		return f, nil
	}
	slices.SortStableFunc(s.faults, func(a, b faulty) int { return cmp.Compare(b.weight, a.weight) })
	for i := range s.faults {
		s.rows = append(s.rows, s.faults[i].evidence)
	}
	f.Evidence = doc.Evidence(s.rows...)
	f.Score, f.Reason = combined(s.faults), s.faults[0].class.reason()
	if s.faults[0].kind >= packageName {
		f.Type = schemas.Technical
	}
	return f, nil
}

func (s *scratch) add(m *mention, v verdict) {
	if i, ok := measureOfClass[v.class]; ok {
		s.numbers[i].Value++
	}
	s.faults = append(s.faults, faulty{verdict: v, kind: m.kind, evidence: detectors.Evidence{Start: m.start, End: m.end, Source: -1, Note: v.note + v.detail, Rule: v.id}})
}

// combined returns the score of all findings together.
func combined(faults []faulty) float64 {
	worst, sound := 0.0, 1.0
	for i := range faults {
		w := faults[i].weight
		worst = max(worst, w)
		if w >= minReliable {
			sound *= 1 - w
		}
	}
	return max(worst, 1-sound)
}
