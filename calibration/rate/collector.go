package rate

import (
	"cmp"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"confab/calibration/shares"
	"confab/schemas"
)

// Options say which answers count, and how they are split.
type Options struct {
	By    []string  // dimensions
	Deep  []string  // detectors whose verdicts count
	Since time.Time // of the answers; zero: all before Until
	Until time.Time // zero: all
	From  time.Time // start of the window before Since that is compared; zero: none
}

// Collector collects the sample from flags, labels and reviewed rows. Repeated records change nothing.
type Collector struct {
	Earlier bool // what is added is of the window that is compared, whatever its time
	Outside int  // reviewed rows of other times, which do not count

	o     Options
	seen  map[string]*answer
	votes *Votes
	limit int
}

// answer is an answer of the sample.
type answer struct {
	Answer

	before   bool   // it is of the window that is compared
	key      string // values of the dimensions, separated by \x00
	labelled time.Time
}

// Cells of answers that people are about equally likely to label.
const (
	quiet = iota
	fired
	alerted
)

// fileTopic is the origin of answers that confab check read.
const fileTopic = "file"

// maxAnswers bounds the answers in memory.
const maxAnswers = 5_000_000

// NewCollector makes a collector.
func NewCollector(o Options) (*Collector, error) {
	for _, name := range o.By {
		if err := CheckDimension(name); err != nil {
			return nil, err
		}
	}
	if !o.From.IsZero() && !o.From.Before(o.Since) {
		return nil, errors.New("the window to compare with must begin before the other one")
	}
	return &Collector{o: o, seen: make(map[string]*answer), votes: NewVotes(), limit: maxAnswers}, nil
}

// window says whether an answer of a time counts, and in which window. An answer without a time is of now.
func (c *Collector) window(at time.Time) (before, ok bool) {
	switch {
	case c.Earlier || at.IsZero():
		return c.Earlier, true
	case !c.o.Until.IsZero() && !at.Before(c.o.Until):
		return false, false
	case !at.Before(c.o.Since):
		return false, true
	}
	return true, !c.o.From.IsZero() && !at.Before(c.o.From)
}

// add returns the answer of an incident, a new one if it is unknown; nil if it is of another time. The error is that there are too many.
func (c *Collector) add(incident string, at time.Time, labels *Labels) (*answer, error) {
	incident = c.key(incident)
	if a := c.seen[incident]; a != nil {
		return a, nil
	}
	before, ok := c.window(at)
	if !ok {
		return nil, nil //nolint:nilnil // it does not count
	}
	if len(c.seen) >= c.limit {
		return nil, fmt.Errorf("more than %d sampled answers: ask for a shorter time", c.limit)
	}
	values := make([]string, len(c.o.By))
	for i, name := range c.o.By {
		values[i] = strings.ReplaceAll(labels.Value(name), "\x00", "\ufffd") // it separates them
	}
	a := &answer{key: strings.Join(values, "\x00"), before: before}
	c.seen[strings.Clone(incident)] = a
	return a, nil
}

// key is the incident's, of each window its own: both may have it.
func (c *Collector) key(incident string) string {
	if c.Earlier {
		return "\x00" + incident
	}
	return incident
}

// probabilityOf is the probability that the judge was asked about the answer; 0 where it is unknown. Of a file all answers count.
func probabilityOf(f *schemas.Flag) float64 {
	switch {
	case f.Origin.Topic == fileTopic:
		return 1
	case f.Sampled && inverse(f.SampleProbability) > 0:
		return f.SampleProbability
	}
	return 0
}

// AddFlag adds a flag of an answer that was sampled with a known probability; others do not count.
func (c *Collector) AddFlag(f *schemas.Flag) error {
	p := probabilityOf(f)
	if p == 0 {
		return nil
	}
	at, labels := f.OccurredAt, Labels{f.Model, f.Service, f.Operation, f.Tenant, f.Provider, f.Attributes}
	if at.IsZero() {
		at = f.DetectedAt
	}
	a, err := c.add(f.IncidentID, at, &labels)
	if a == nil {
		return err
	}
	c.votes.addAnswer(c.key(f.IncidentID), f)
	a.Probability = p
	a.Cell = max(a.Cell, CellOf(f.Alert, len(f.Fired)))
	if judge := Judge(f, c.o.Deep); judge != nil || f.Pass == schemas.PassDeep {
		a.Judge = judge // of several deep flags of an incident the last one counts
	}
	return nil
}

// AddVote adds an end user's vote, after all flags. It enters no estimate of wrong answers.
func (c *Collector) AddVote(key string, v *schemas.Vote) { c.votes.AddVote(key, v) }

// CellOf is the [Answer.Cell] of an answer.
func CellOf(alert bool, detectors int) int {
	switch {
	case alert:
		return alerted
	case detectors > 0:
		return fired
	}
	return quiet
}

// Judge is what the deep detectors say: whether one of them fired; nil if none decided.
func Judge(f *schemas.Flag, deep []string) (judge *bool) {
	for i := range f.Signals {
		if s := &f.Signals[i]; slices.Contains(deep, s.Detector) && (s.Outcome == schemas.Fired || s.Outcome == schemas.Clear) {
			wrong := judge != nil && *judge || s.Outcome == schemas.Fired
			judge = &wrong
		}
	}
	return judge
}

// AddLabel adds a person's label, after all flags. Of several labels of an incident the last one counts. Labels of answers
// that were not sampled do not count: people label what alerts.
func (c *Collector) AddLabel(l *schemas.Feedback) {
	switch a := c.seen[l.IncidentID]; {
	case a == nil:
	case l.Verdict == schemas.Forgotten:
		a.Person = nil
		c.votes.Forget(l.IncidentID)
	case slices.Contains(schemas.HumanVerdicts(), l.Verdict) && (a.Person == nil || !l.At.Before(a.labelled)):
		a.say(l.Verdict, l.At)
	}
}

func (a *answer) say(v schemas.HumanVerdict, at time.Time) {
	wrong := v == schemas.Wrong
	a.Person, a.labelled = &wrong, at
}

// Reviewed is a row of a table that was drawn with known probabilities and filled in by people.
type Reviewed struct {
	Incident    string
	At          time.Time // of the answer; zero: unknown
	Labels      Labels    // used where no flag of the answer is known
	Verdict     schemas.HumanVerdict
	Probability float64 // of having been drawn
}

// AddReviewed adds a row, after all flags and labels: it counts before a label. Add each answer once for each table: of several draws
// all stand for the traffic, and so does their sum where an answer has the weights of all of them. The error is that there are too many.
func (c *Collector) AddReviewed(r *Reviewed) error {
	a, err := c.add(r.Incident, r.At, &r.Labels)
	if a == nil {
		if err == nil {
			c.Outside++
		}
		return err
	}
	a.say(r.Verdict, r.At)
	if a.Label = 1 / (inverse(a.Label) + 1/r.Probability); a.Probability < 1 {
		a.Judge = nil // drawn without regard to whether the judge would read it: the two probabilities do not belong together
	}
	return nil
}

// Row is the estimate of one group of answers.
type Row struct {
	Interval

	Values   []string // of the dimensions
	Unjudged int      // sampled answers without a verdict
	Missing  float64  // share of the sampled traffic that they stand for
	Down     Interval // share of thumbs down among the sampled answers that end users voted on
	Before   *Compared
}

// Compared is the other window's estimate, and how far the later one differs.
type Compared struct {
	Interval

	Change, Low, High float64 // a 95 % interval
	Known             bool    // both windows have enough verdicts, of the same kind
}

// Word says in words how the share changed.
func (c *Compared) Word() string {
	switch {
	case !c.Known:
		return "not known"
	case c.Low > 0:
		return "rose"
	case c.High < 0:
		return "fell"
	}
	return "no sure change"
}

// Result is what a sample says.
type Result struct {
	By       []string
	Rows     []Row // by traffic, most first
	Total    Row
	Compared bool
	Unjoined int // votes on other answers than the sampled ones
}

// Result returns the estimates.
func (c *Collector) Result() Result {
	groups, compared := Groups{}, !c.o.From.IsZero()
	votes := map[string]int{}                             // by user
	for _, id := range slices.Sorted(maps.Keys(c.seen)) { // so that sums are the same each time
		a := c.seen[id]
		a.Down = c.votes.down(id, votes)
		groups.Add(a.key, a.before, a.Answer)
		compared = compared || a.before
	}
	res := Result{By: c.o.By, Compared: compared, Unjoined: c.votes.Unjoined}
	res.Total, res.Rows = groups.Rows(compared)
	return res
}

// Groups are the answers of a window and of the one before, by the values of the dimensions, separated by \x00.
type Groups map[string]*[2][]Answer

// Add adds an answer.
func (g Groups) Add(key string, before bool, a Answer) {
	if g[key] == nil {
		g[key] = new([2][]Answer)
	}
	at := int(shares.Indicator(before))
	g[key][at] = append(g[key][at], a)
}

// Rows estimates all answers, and those of each group, by traffic, most first.
func (g Groups) Rows(compared bool) (Row, []Row) {
	var total [2][]Answer
	var rows []Row
	keys := slices.Sorted(maps.Keys(g))
	for _, key := range keys {
		row := newRow(g[key], compared)
		row.Values = strings.Split(key, "\x00")
		rows = append(rows, row)
	}
	for at := range total { // labels of some groups do not stand for the others
		all, covered := 0.0, 0.0
		for _, key := range keys {
			answers := g[key][at]
			total[at] = append(total[at], answers...)
			n := drawn(answers)
			if all += n; slices.ContainsFunc(answers, func(a Answer) bool { return a.Person != nil }) {
				covered += n
			}
		}
		if covered < minCovered*all {
			total[at] = unlabelled(total[at])
		}
	}
	slices.SortFunc(rows, func(x, y Row) int {
		return cmp.Or(cmp.Compare(y.Answers, x.Answers), slices.Compare(x.Values, y.Values))
	})
	return newRow(&total, compared), rows
}

// newRow estimates a group, and if it is to be compared the difference from the window before.
func newRow(w *[2][]Answer, compare bool) Row {
	now, before := w[0], w[1]
	r := Row{Interval: Share(now), Down: downs(now)}
	unread := slices.DeleteFunc(slices.Clone(now), func(a Answer) bool { return a.Judge != nil || a.Person != nil })
	r.Unjudged, r.Missing = len(unread), shares.Ratio(drawn(unread), drawn(now))
	if !compare {
		return r
	}
	a, b := Share(before), r.Interval
	r.Before = &Compared{Interval: a}
	if a.JudgesWord != b.JudgesWord { // like is compared with like
		a, b = Share(unlabelled(before)), Share(unlabelled(now))
	}
	if r.Before.Known = a.Enough() && b.Enough() && a.JudgesWord == b.JudgesWord; r.Before.Known {
		r.Before.Change, r.Before.Low, r.Before.High = Difference(&b, &a)
	}
	return r
}

// drawn is how many answers the judge's sample stands for.
func drawn(sample []Answer) (answers float64) {
	for i := range sample {
		answers += inverse(sample[i].Probability)
	}
	return answers
}

// unlabelled is the sample as the judge alone sees it.
func unlabelled(sample []Answer) []Answer {
	sample = slices.Clone(sample)
	for i := range sample {
		sample[i].Person = nil
	}
	return sample
}
