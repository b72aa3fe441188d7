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

func (*technical) Name() string { return "technical" }

// Detect measures urls (mail addresses included), dois (arXiv ids included), packages, imports, members and calls (endpoints included) found; and of them
// unknown_names, near_misses, not_in_context and malformed.
func (t *technical) Detect(_ context.Context, doc *detectors.Document) (detectors.Finding, error) {
	s, _ := detectors.Scratch[documentScratch](doc)
	s.reset(doc.Answer(), doc.Work())
	s.answer.Scan()
	if s.work.Ended() != "" {
		return detectors.Finding{}, nil
	}
	if len(s.answer.Mentions) == 0 {
		return detectors.Finding{NotCheckable: reasonNoMentions}, nil
	}
	checker := mentionChecker{technical: t, doc: doc, known: s.context(doc), names: &s.names, mentions: s.answer.Mentions}
	checked := 0
	for i := range s.answer.Mentions {
		m := &s.answer.Mentions[i]
		if !s.work.Spend(mentionCost) {
			return detectors.Finding{}, nil
		}
		v := checker.assess(m)
		s.found[measureOf(m.Kind)]++
		if v.fault == faultUndecided {
			continue
		}
		checked++
		if v.fault != faultNone {
			s.add(m, v)
		}
	}
	f := detectors.Finding{Type: schemas.Fabrication, Truncated: s.answer.Full, Measures: doc.Measures(s.measures()...)}
	if checked == 0 {
		return detectors.Finding{NotCheckable: reasonNoIndex, Measures: f.Measures}, nil
	}
	if len(s.faults) == 0 {
		return f, nil
	}
	slices.SortStableFunc(s.faults, worseFault)
	for i := range s.faults {
		s.rows = append(s.rows, s.faults[i].evidence)
	}
	f.Evidence = doc.Evidence(s.rows...)
	worst := &s.faults[0]
	f.Score, f.Reason = combinedScore(s.faults), worst.assessment.fault.reason()
	if worst.kind.IsName() {
		f.Type = schemas.Technical
	}
	return f, nil
}

// combinedScore returns the score of all findings together.
func combinedScore(faults []faultyMention) float64 {
	worst, sound := 0.0, 1.0
	for i := range faults {
		w := faults[i].assessment.weight
		worst = max(worst, w)
		if w >= minReliable {
			sound *= 1 - w
		}
	}
	return max(worst, 1-sound)
}

func worseFault(a, b faultyMention) int { return cmp.Compare(b.assessment.weight, a.assessment.weight) }
