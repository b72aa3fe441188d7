// Package join makes labelled rows of interactions and of verdicts that people gave them.
package join

import (
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/hex"
	stdjson "encoding/json"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"

	"confab/internal/cli/labelled"
	"confab/internal/console"
	"confab/internal/files"
	"confab/schemas"
	"confab/schemas/json"
)

// Options say what to join.
type Options struct {
	Interactions labelled.InteractionFile
	Scores       string // a file of verdicts
	Out          string // labelled rows
}

// ErrLeftOut says that some rows could not be used; each was reported.
var ErrLeftOut = errors.New("some rows were left out")

// Run writes a labelled row for every interaction that has a score, atomically, and a summary to w. What cannot be used
// is reported on errw with its place; the error then wraps ErrLeftOut. Nothing is written if no score matches.
func Run(ctx context.Context, w, errw io.Writer, o Options) error {
	if err := files.CheckWritable(o.Out); err != nil {
		return &console.InputError{Err: err}
	}
	j := &joinRun{o: &o}
	if err := j.prepare(ctx); ctx.Err() != nil {
		return err
	} else if err != nil {
		return &console.InputError{Err: err}
	}
	err := j.write(ctx)
	console.PrintFaults(errw, j.faults)
	if err != nil {
		return err
	}
	if err := console.Printf(w, "%s", j.summary()); err != nil {
		return err
	}
	if len(j.faults) > 0 {
		return fmt.Errorf("%w: %d", ErrLeftOut, len(j.faults))
	}
	return nil
}

// joinRun is one run.
type joinRun struct {
	o      *Options
	scores []*score
	byID   *scoreIndex
	faults []string

	read, bad           int    // interactions
	labelled            [2]int // by label
	files               int    // scores of the file
	skipped             int    // scores without a value
	unmatched, repeated int    // scores
}

// prepare reads the scores and finds the interaction of each.
func (j *joinRun) prepare(ctx context.Context) (err error) {
	if j.scores, j.faults, j.skipped, err = readScores(j.o.Scores); err != nil {
		return err
	}
	j.files = len(j.scores) + len(j.faults) + j.skipped
	return j.match(ctx)
}

// match finds the interaction of each score.
func (j *joinRun) match(ctx context.Context) error {
	j.byID = newScoreIndex()
	_, _, err := j.o.Interactions.EachLine(func(l *labelled.InteractionLine) error {
		j.byID.add(&l.Row.Interaction)
		return ctx.Err()
	})
	if err != nil {
		return err
	}
	for _, s := range j.scores {
		switch outcome, other := j.byID.assign(s); outcome {
		case noMatch:
			j.unmatched++
		case severalMatches:
			j.faults = append(j.faults, fmt.Sprintf("%s: the id %s is of several interactions: judge single answers", s.place, console.Sanitize(s.ids[0])))
		case contradiction:
			j.faults = append(j.faults, fmt.Sprintf("%s: contradicts %s: the answer gets no label", s.place, other))
		case repetition:
			j.repeated++
		case taken:
		}
	}
	if len(j.scores) > 0 && j.unmatched == len(j.scores) {
		return fmt.Errorf("0 of %d verdicts match an interaction: compare ids: verdicts have %s; interactions have %s",
			len(j.scores), exampleIDs(j.scores), j.byID.examples())
	}
	if len(j.scores) == 0 {
		return fmt.Errorf("%s: no row has a verdict that can be used", j.o.Scores)
	}
	return nil
}

func exampleIDs(scores []*score) string {
	var list []string
	for _, s := range scores[:min(3, len(scores))] {
		list = append(list, fmt.Sprintf("%q", console.Sanitize(s.ids[0])))
	}
	return strings.Join(list, ", ")
}

// write writes the rows of interactions that have a label.
func (j *joinRun) write(ctx context.Context) error {
	_, err := files.WriteAtomic(j.o.Out, func(w io.Writer) error { return j.writeRows(ctx, w) })
	return err
}

func (j *joinRun) writeRows(ctx context.Context, w io.Writer) error {
	rows := stdjson.NewEncoder(w)
	rows.SetEscapeHTML(false)
	lines, faults, err := j.o.Interactions.EachLine(func(l *labelled.InteractionLine) error {
		s := j.byID.scoreOf(&l.Row.Interaction)
		if s == nil {
			return ctx.Err()
		}
		j.labelled[s.label]++
		row, err := newRow(&l.Row, s)
		if err != nil {
			return fmt.Errorf("%s: %w", l.Place, err)
		}
		return errors.Join(rows.Encode(row), ctx.Err())
	})
	if err != nil {
		return err
	}
	j.read = lines
	j.bad = len(faults)
	j.faults = append(j.faults, faults...)
	if j.labelled[0]+j.labelled[1] == 0 {
		return &console.InputError{Err: fmt.Errorf("none of %d interactions has a label, nothing was written", lines)}
	}
	return nil
}

// labelledRow is a row as evaluate and calibrate read it.
type labelledRow struct {
	Interaction stdjson.RawMessage `json:"interaction"`
	Label       int                `json:"label"`
	Weight      float64            `json:"weight,omitempty"`
	Task        string             `json:"task,omitempty"`
	Group       string             `json:"group,omitempty"`
	Dataset     string             `json:"dataset,omitempty"`
}

// newRow makes a labelled row. Answers with equal sources form a group.
func newRow(l *schemas.Labelled, s *score) (row labelledRow, err error) {
	in := &l.Interaction
	row = labelledRow{Label: s.label, Weight: s.weight, Task: cmp.Or(l.Task, in.Operation), Group: cmp.Or(l.Group, groupOf(in)), Dataset: l.Dataset}
	row.Interaction, err = json.AppendInteraction(nil, in)
	return row, err
}

// groupOf names the group of answers with these sources, or of this answer alone.
func groupOf(in *schemas.Interaction) string {
	var texts []string
	for i := range in.Sources {
		if text := in.Sources[i].Text; text != "" {
			texts = append(texts, text)
		}
	}
	if len(texts) == 0 {
		return "answer " + in.EventID().IncidentID()[:16]
	}
	slices.Sort(texts)
	sum := sha256.Sum256([]byte(strings.Join(texts, "\x00")))
	return "sources " + hex.EncodeToString(sum[:8])
}

// summary says what became of every interaction and every score.
func (j *joinRun) summary() string {
	all := j.labelled[0] + j.labelled[1]
	var b strings.Builder
	fmt.Fprintf(&b, "%d of %d interactions labelled, %d of them faulty; %d have no label\n%d verdicts read",
		all, j.read, j.labelled[1], j.read-j.bad-all, j.files)
	separator := ": "
	for _, p := range []struct {
		n    int
		what string
	}{
		{j.skipped, "have no verdict"},
		{j.repeated, "repeat another verdict of the answer"},
		{j.unmatched, "match no interaction"},
	} {
		if p.n > 0 {
			fmt.Fprintf(&b, "%s%d %s", separator, p.n, p.what)
			separator = ", "
		}
	}
	return b.String() + "\nwrote " + j.o.Out + "\n"
}
