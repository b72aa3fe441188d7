package fit

// Weights of generated rows relative to labelled ones: for words and claims, and for answers. More weight for answers
// helps with single changed words and costs elsewhere (docs/tuning.md).
const (
	generatedWeight       = 0.5
	generatedAnswerFactor = 0.3
)

// groupPrior is the number of rows with the labels of the task that each group is imagined to have in addition: a group of
// a few rows keeps most of its weights.
const groupPrior = 4

// weighRows gives each data set the same weight, within it its good rows and its bad ones, and within a task each group the
// same share of bad ones. Else a set of few sources with many answers each teaches which sources are bad.
func (b *groundingFit) weighRows() {
	type class struct {
		set   string
		label int
		real  bool
	}
	of := func(i int) class {
		return class{b.trainingSet.rows[i].Dataset, b.trainingSet.rows[i].Label, i < b.labelledRows}
	}
	counts := map[class]int{}
	for _, i := range b.rows {
		counts[of(i)]++
	}
	b.weights = make([]float64, len(b.samples))
	for _, i := range b.rows {
		c := of(i)
		b.weights[i] = 1000 / float64(counts[c])
		if !c.real {
			b.weights[i] *= generatedWeight
		}
	}
	b.balanceGroups()
}

// sourceGroup is a group of a task, or with an empty name the task.
type sourceGroup struct {
	set, task, group string
	real             bool
}

// labelSums are the weights of rows by label.
type labelSums struct {
	rows   int
	weight [2]float64
}

func (s *labelSums) total() float64 { return s.weight[0] + s.weight[1] }

// balanceGroups moves weight between the labels of each group that has both.
func (b *groundingFit) balanceGroups() {
	of := func(i int) sourceGroup {
		r := &b.trainingSet.rows[i]
		return sourceGroup{r.Dataset, r.Task, r.Group, i < b.labelledRows}
	}
	sums := map[sourceGroup]*labelSums{}
	add := func(g sourceGroup, i int) {
		if sums[g] == nil {
			sums[g] = &labelSums{}
		}
		sums[g].rows++
		sums[g].weight[b.trainingSet.rows[i].Label] += b.weights[i]
	}
	for _, i := range b.rows {
		g := of(i)
		add(g, i)
		if g.group != "" {
			g.group = ""
			add(g, i)
		}
	}
	for _, i := range b.rows {
		g, label := of(i), b.trainingSet.rows[i].Label
		own := sums[g]
		if g.group == "" || own.weight[0] == 0 || own.weight[1] == 0 {
			continue
		}
		g.group = ""
		task := sums[g]
		wanted := task.weight[label] / task.total()
		prior := groupPrior * task.total() / float64(task.rows)
		b.weights[i] *= wanted * (own.total() + prior) / (own.weight[label] + prior*wanted)
	}
}
