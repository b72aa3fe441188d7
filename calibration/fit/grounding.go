package fit

import (
	"errors"
	"fmt"
	"runtime"
	"sync"

	"confab/detectors"
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
func Grounding(rows []schemas.Labelled, o Options) (*detectors.GroundingModel, error) {
	o.fill()
	t, err := newTraining(rows, o)
	if err != nil {
		return nil, err
	}
	return t.fit(-1)
}

// CrossFit fits one grounding model per fold, to the rows of the other folds, so that row i can be measured by
// models[folds[i]], which has not seen it nor any of its group.
func CrossFit(rows []schemas.Labelled, o Options) (models []*detectors.GroundingModel, folds []int, err error) {
	o.fill()
	t, err := newTraining(rows, o)
	if err != nil {
		return nil, nil, err
	}
	models = make([]*detectors.GroundingModel, o.Folds)
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
	return models, t.folds, errors.Join(errs...)
}

// training is what all folds share.
type training struct {
	Options
	rows        []schemas.Labelled
	folds       []int
	weights     []float64 // by row
	frequencies []byte
	samples     []detectors.GroundingSample
}

func newTraining(rows []schemas.Labelled, o Options) (*training, error) {
	t := &training{Options: o, rows: rows, folds: Folds(rows, o.Folds, o.Seed), frequencies: frequencies(rows), weights: weigh(rows)}
	t.samples = make([]detectors.GroundingSample, len(rows))
	base := &detectors.GroundingModel{Frequencies: t.frequencies, Words: make([]byte, 1<<16)}
	base.Prepare()
	var all sync.WaitGroup
	for w := range o.Workers {
		all.Go(func() {
			var doc detectors.Document
			for i := w; i < len(rows); i += o.Workers {
				doc.Reset(&rows[i].Interaction)
				t.samples[i] = base.Sample(&doc)
			}
		})
	}
	all.Wait()
	measured := 0
	for i := range t.samples {
		if len(t.samples[i].Claims) > 0 {
			measured++
		}
	}
	if measured == 0 {
		return nil, errors.New("none of the rows has claims that can be compared with sources: give rows with sources and longer answers")
	}
	return t, nil
}

// weigh gives each data set the same say, and within it its good rows and its bad ones.
func weigh(rows []schemas.Labelled) []float64 {
	type class struct {
		set   string
		label int
	}
	counts := map[class]int{}
	for i := range rows {
		counts[class{rows[i].Dataset, rows[i].Label}]++
	}
	weights := make([]float64, len(rows))
	for i := range rows {
		n := counts[class{rows[i].Dataset, rows[i].Label}]
		weights[i] = 1000 / float64(n)
	}
	return weights
}

// fit trains on all rows outside of the fold.
func (t *training) fit(without int) (*detectors.GroundingModel, error) {
	b := &building{training: t, without: without}
	for i := range t.samples {
		s := t.samples[i]
		if t.folds[i] == without || len(s.Claims) == 0 {
			continue
		}
		b.rows = append(b.rows, i)
	}
	b.labelClaims()
	g := &detectors.GroundingModel{Frequencies: t.frequencies}
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
	labels  [][]claimLabel // by row, by claim
	vectors [][][]float32
	odds    [][]float64 // by row, by claim: out-of-fold probability
}

// claimLabel is what is known of a claim.
type claimLabel struct {
	y, weight float64
}
