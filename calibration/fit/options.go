package fit

// Options are what every fit takes. The same rows, options and seed give the same weights, whatever Workers is.
type Options struct {
	Seed     uint64
	Folds    int                   // of cross-validation; 0 stands for 5
	Workers  int                   // at a time; 0 stands for one per CPU
	Progress func(done, total int) // nil: nobody is told
}
