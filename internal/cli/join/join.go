package join

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
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
	Scores       string // a file of scores; empty: LabelAt
	LabelAt      string // a JSON pointer to the value in each record
	ScoreName    string // the scores to take; empty: there is one name only
	Faulty       *Condition
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
	o       *Options
	scores  []*score
	byID    *scoreIndex
	pointer []string
	faults  []string

	read, bad           int    // interactions
	labelled            [2]int // by label
	files, others       int    // scores of the file, and those of other names
	skipped             int    // scores without a value
	unmatched, repeated int    // scores
}

// prepare reads the scores and finds the interaction of each.
func (j *joinRun) prepare(ctx context.Context) (err error) {
	if j.o.LabelAt != "" {
		if j.pointer, err = parsePointer(j.o.LabelAt); err != nil {
			return err
		}
		if j.o.Faulty == nil {
			return errors.New("--faulty-when is missing: say which values at --label-at mean a faulty answer, such as '<0.5' or '=hallucinated'")
		}
		return nil
	}
	scores, faults, skipped, err := readScores(j.o.Scores)
	if err != nil {
		return err
	}
	j.faults, j.skipped, j.files = faults, skipped, len(scores)+len(faults)+skipped
	named, err := selectName(scores, j.o.ScoreName)
	if err != nil {
		return err
	}
	j.others = len(scores) - len(named)
	if j.scores, faults, err = labelScores(named, j.o.Faulty); err != nil {
		return err
	}
	j.faults = append(j.faults, faults...)
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
			j.faults = append(j.faults, fmt.Sprintf("%s: the id %s is of several interactions: score single answers", s.place, console.Sanitize(s.ids[0])))
		case contradiction:
			j.faults = append(j.faults, fmt.Sprintf("%s: contradicts %s: the answer gets no label", s.place, other))
		case repetition:
			j.repeated++
		case taken:
		}
	}
	if len(j.scores) > 0 && j.unmatched == len(j.scores) {
		return fmt.Errorf("0 of %d scores match an interaction: compare ids: scores have %s; interactions have %s",
			len(j.scores), exampleIDs(j.scores), j.byID.examples())
	}
	if len(j.scores) == 0 {
		return fmt.Errorf("%s: no row has a value that can be used", j.o.Scores)
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
	var line []byte
	lines, faults, err := j.o.Interactions.EachLine(func(l *labelled.InteractionLine) error {
		label, weight, ok := j.labelOf(l)
		if !ok {
			return ctx.Err()
		}
		j.labelled[label]++
		var err error
		if line, err = appendRow(line[:0], &l.Row, label, weight); err != nil {
			return fmt.Errorf("%s: %w", l.Place, err)
		}
		_, err = w.Write(line)
		return errors.Join(err, ctx.Err())
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

// labelOf is the label of an interaction; ok is false without one.
func (j *joinRun) labelOf(l *labelled.InteractionLine) (label int, weight float64, ok bool) {
	if j.pointer == nil {
		s := j.byID.scoreOf(&l.Row.Interaction)
		if s == nil {
			return 0, 0, false
		}
		return s.label, s.weight, true
	}
	v, found := valueAt(l.Raw, j.pointer)
	if !found {
		return 0, 0, false
	}
	kept, faults, err := labelScores([]*score{{place: l.Place, value: v}}, j.o.Faulty)
	if err != nil {
		faults = []string{fmt.Sprintf("%s: %v", l.Place, err)}
	}
	j.faults = append(j.faults, faults...)
	if len(kept) == 0 {
		return 0, 0, false
	}
	return kept[0].label, 0, true
}

// appendRow appends a labelled row. Answers with equal sources form a group.
func appendRow(dst []byte, row *schemas.Labelled, label int, weight float64) ([]byte, error) {
	in := &row.Interaction
	dst = append(dst, `{"interaction":`...)
	dst, err := json.AppendInteraction(dst, in)
	if err != nil {
		return dst, err
	}
	dst = fmt.Appendf(dst, `,"label":%d`, label)
	if weight > 0 {
		dst = fmt.Appendf(dst, `,"weight":%g`, weight)
	}
	task, group := row.Task, row.Group
	if task == "" {
		task = in.Operation
	}
	if group == "" {
		group = groupOf(in)
	}
	for _, member := range [][2]string{{"task", task}, {"group", group}, {"dataset", row.Dataset}} {
		if member[1] != "" {
			dst = fmt.Appendf(dst, `,%q:`, member[0])
			dst = appendText(dst, member[1])
		}
	}
	return append(dst, '}', '\n'), nil
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
