package fit

import (
	"cmp"
	"errors"
	"fmt"
	"math/rand/v2"
	"runtime"
	"slices"
	"strings"
	"sync"

	"confab/calibration/negatives"
	"confab/detectors"
	"confab/detectors/grounding"
	"confab/schemas"
)

func (o *Options) setDefaults() {
	if o.Folds == 0 {
		o.Folds = 5
	}
	if o.Workers == 0 {
		o.Workers = runtime.GOMAXPROCS(0)
	}
	if o.Progress == nil {
		o.Progress = func(int, int) {}
	}
}

// Grounding fits the grounding model to all rows.
func Grounding(rows []schemas.Labelled, o Options) (*grounding.Model, error) {
	o.setDefaults()
	t, err := newTraining(rows, o)
	if err != nil {
		return nil, err
	}
	return t.fitModel(-1)
}

// CrossFit fits one grounding model per fold to the rows of the other folds: models[folds[i]] has seen neither row i
// nor its group.
func CrossFit(rows []schemas.Labelled, o Options) (models []*grounding.Model, folds []int, err error) {
	o.setDefaults()
	t, err := newTraining(rows, o)
	if err != nil {
		return nil, nil, err
	}
	folds = Folds(rows, o.Folds, o.Seed)
	models = make([]*grounding.Model, o.Folds)
	errs := make([]error, o.Folds)
	turns, done := make(chan struct{}, o.Workers), make(chan struct{}, o.Folds)
	for f := range models {
		go func() {
			turns <- struct{}{}
			models[f], errs[f] = t.fitModel(f)
			<-turns
			done <- struct{}{}
		}()
	}
	for i := range models {
		<-done
		o.Progress(i+1, o.Folds)
	}
	return models, folds, errors.Join(errs...)
}

// trainingSet is shared by all folds. Generated rows follow the labelled ones, each in the fold of its original.
type trainingSet struct {
	Options
	rows         []schemas.Labelled
	folds        []int
	labelledRows int // rows that were not generated
	frequencies  []byte
	samples      []grounding.Sample
}

// newTraining measures the rows in an order that depends on their content only.
func newTraining(rows []schemas.Labelled, o Options) (*trainingSet, error) {
	t := &trainingSet{Options: o, labelledRows: len(rows), frequencies: stemFrequencies(rows)}
	t.rows = sortByContent(rows)
	markVariants(t.rows)
	t.folds = Folds(t.rows, o.Folds, o.Seed)
	t.addGenerated()
	t.measure()
	if !slices.ContainsFunc(t.samples, func(s grounding.Sample) bool { return len(s.Claims) > 0 }) {
		return nil, errors.New("none of the rows has claims that can be compared with sources: give rows with sources and longer answers")
	}
	return t, nil
}

// sortByContent sorts the rows by their texts and labels.
func sortByContent(rows []schemas.Labelled) []schemas.Labelled {
	rows = slices.Clone(rows)
	slices.SortStableFunc(rows, func(a, b schemas.Labelled) int {
		return cmp.Or(strings.Compare(a.Interaction.Answer, b.Interaction.Answer), cmp.Compare(a.Label, b.Label),
			slices.CompareFunc(a.Interaction.Sources, b.Interaction.Sources, func(a, b schemas.Source) int {
				return strings.Compare(a.Text, b.Text)
			}))
	})
	return rows
}

// addGenerated appends synthetic negatives and label-preserving edits. Inserted text comes from rows of the same fold,
// so that no fold's text reaches the model that measures it.
func (t *trainingSet) addGenerated() {
	for f := range t.Folds {
		inside, index := splitByFold(t.rows[:t.labelledRows], t.folds, f)
		pool := negatives.NewPool(inside)
		for k := range inside {
			if !t.includesDataset(inside[k].Dataset) {
				continue
			}
			rng := rand.New(rand.NewPCG(t.Seed, uint64(index[k])))
			for _, made := range negatives.Rows(rng, &inside[k], pool, negatives.Options{Faults: 2, Preserving: 2, Pairs: 2}) {
				t.rows = append(t.rows, made)
				t.folds = append(t.folds, f)
			}
		}
	}
}

func (t *trainingSet) measure() {
	t.samples = make([]grounding.Sample, len(t.rows))
	base := &grounding.Model{Frequencies: t.frequencies, Words: make([]byte, 1<<16)}
	base.Prepare()
	var all sync.WaitGroup
	for w := range t.Workers {
		all.Go(func() {
			var doc detectors.Document
			for i := w; i < len(t.rows); i += t.Workers {
				doc.Reset(&t.rows[i].Interaction)
				t.samples[i] = base.Sample(&doc)
			}
		})
	}
	all.Wait()
}

// fitModel trains on all rows outside of the fold.
func (t *trainingSet) fitModel(without int) (*grounding.Model, error) {
	b := &groundingFit{trainingSet: t, heldOutFold: without}
	for i := range t.samples {
		s := t.samples[i]
		if t.folds[i] == without || len(s.Claims) == 0 || s.Asked || !t.includesDataset(t.rows[i].Dataset) {
			continue
		}
		b.rows = append(b.rows, i)
	}
	b.weighRows()
	b.labelClaims()
	g := &grounding.Model{Frequencies: t.frequencies}
	b.fitWords().store(g)
	var err error
	if g.Claims, err = b.fitClaims(); err != nil {
		return nil, fmt.Errorf("fit the claims: %w", err)
	}
	if g.Answers, err = b.fitAnswers(); err != nil {
		return nil, fmt.Errorf("fit the answers: %w", err)
	}
	g.Prepare()
	return g, nil
}

// groundingFit is the state of one fit.
type groundingFit struct {
	*trainingSet
	heldOutFold int
	rows        []int          // to train on
	weights     []float64      // by row
	labels      [][]claimLabel // by row, by claim
	vectors     [][][]float32
	predicted   [][]float64 // by row, by claim: out-of-fold probability
}

type claimLabel struct {
	y, weight float64
}
