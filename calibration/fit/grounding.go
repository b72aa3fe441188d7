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

func (o *Options) fill() {
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
	o.fill()
	t, err := newTraining(rows, o)
	if err != nil {
		return nil, err
	}
	return t.fit(-1)
}

// CrossFit fits one grounding model per fold, to the rows of the other folds, so that row i can be measured by
// models[folds[i]], which has not seen it nor any of its group.
func CrossFit(rows []schemas.Labelled, o Options) (models []*grounding.Model, folds []int, err error) {
	o.fill()
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
			models[f], errs[f] = t.fit(f)
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

// training is what all folds share. The rows are followed by generated ones, each in the fold of the row it was made of.
type training struct {
	Options
	rows        []schemas.Labelled
	folds       []int
	real        int // rows that were not generated
	frequencies []byte
	samples     []grounding.Sample
}

// newTraining measures the rows, sorted by content, so that the order in which they come decides nothing.
func newTraining(rows []schemas.Labelled, o Options) (*training, error) {
	t := &training{Options: o, real: len(rows), frequencies: frequencies(rows)}
	t.rows = sorted(rows)
	t.folds = Folds(t.rows, o.Folds, o.Seed)
	t.generate()
	t.measure()
	if !slices.ContainsFunc(t.samples, func(s grounding.Sample) bool { return len(s.Claims) > 0 }) {
		return nil, errors.New("none of the rows has claims that can be compared with sources: give rows with sources and longer answers")
	}
	return t, nil
}

// sorted are the rows in an order that their texts and labels decide.
func sorted(rows []schemas.Labelled) []schemas.Labelled {
	rows = slices.Clone(rows)
	slices.SortStableFunc(rows, func(a, b schemas.Labelled) int {
		return cmp.Or(strings.Compare(a.Interaction.Answer, b.Interaction.Answer), cmp.Compare(a.Label, b.Label),
			slices.CompareFunc(a.Interaction.Sources, b.Interaction.Sources, func(a, b schemas.Source) int {
				return strings.Compare(a.Text, b.Text)
			}))
	})
	return rows
}

// generate appends rows with one planted fault, and their harmless twins. What is planted comes from rows of the same
// fold, so that no fold's texts reach the model that measures it.
func (t *training) generate() {
	for f := range t.Folds {
		inside, index := split(t.rows[:t.real], t.folds, f)
		pool := negatives.NewPool(inside)
		for k := range inside {
			if !t.teaches(inside[k].Dataset) {
				continue
			}
			rng := rand.New(rand.NewPCG(t.Seed, uint64(index[k])))
			for _, made := range negatives.Rows(rng, &inside[k], pool, negatives.Options{Faults: 1, Harmless: 1, Twins: 1}) {
				t.rows = append(t.rows, made)
				t.folds = append(t.folds, f)
			}
		}
	}
}

// measure makes the samples.
func (t *training) measure() {
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

// What generated rows count beside those that people labelled: to words and claims, and to answers. More of the latter
// helps with single changed words and costs elsewhere (docs/tuning.md).
const (
	generatedSay  = 0.5
	answerSayOver = 0.3
)

// weigh gives each data set the same say, and within it its good rows and its bad ones.
func (b *building) weigh() {
	type class struct {
		set   string
		label int
		real  bool
	}
	of := func(i int) class { return class{b.training.rows[i].Dataset, b.training.rows[i].Label, i < b.real} }
	counts := map[class]int{}
	for _, i := range b.rows {
		counts[of(i)]++
	}
	b.weights = make([]float64, len(b.samples))
	for _, i := range b.rows {
		c := of(i)
		b.weights[i] = 1000 / float64(counts[c])
		if !c.real {
			b.weights[i] *= generatedSay
		}
	}
}

// fit trains on all rows outside of the fold.
func (t *training) fit(without int) (*grounding.Model, error) {
	b := &building{training: t, without: without}
	for i := range t.samples {
		s := t.samples[i]
		if t.folds[i] == without || len(s.Claims) == 0 || !t.teaches(t.rows[i].Dataset) {
			continue
		}
		b.rows = append(b.rows, i)
	}
	b.weigh()
	b.labelClaims()
	g := &grounding.Model{Frequencies: t.frequencies}
	b.words().store(g)
	var err error
	if g.Claims, err = b.claims(); err != nil {
		return nil, fmt.Errorf("fit the claims: %w", err)
	}
	if g.Answers, err = b.answers(); err != nil {
		return nil, fmt.Errorf("fit the answers: %w", err)
	}
	g.Prepare()
	return g, nil
}

// building is one model on its way.
type building struct {
	*training
	without int
	rows    []int          // that it is trained on
	weights []float64      // by row
	labels  [][]claimLabel // by row, by claim
	vectors [][][]float32
	odds    [][]float64 // by row, by claim: out-of-fold probability
}

// claimLabel is what is known of a claim.
type claimLabel struct {
	y, weight float64
}
