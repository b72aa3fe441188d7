package fit

import "slices"

// Options are common to all fits. The same rows, options and seed give the same weights, whatever Workers is.
type Options struct {
	Seed     uint64
	Folds    int                   // of cross-validation; 0 stands for 5
	Workers  int                   // at a time; 0 stands for one per CPU
	Sets     []string              // data sets that grounding learns from; empty stands for all. Fusion reads every row
	Progress func(done, total int) // may be nil
}

func (o *Options) includesDataset(dataset string) bool {
	return len(o.Sets) == 0 || slices.Contains(o.Sets, dataset)
}
