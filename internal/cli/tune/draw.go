package tune

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"confab/calibration/draw"
	"confab/calibration/measure"
	"confab/internal/cli/check"
	"confab/internal/cli/labelled"
	"confab/internal/console"
	"confab/internal/files"
	"confab/internal/rowview"
	"confab/internal/tablefile"
	"confab/schemas"
)

const (
	maxEvidence = 5     // excerpts of one answer
	maxSources  = 20000 // bytes of the sources of one answer in a page
)

// columns are those of the table. A person fills in verdict and, if they like, note.
func columns() []string {
	return []string{
		"verdict", "note", "question", "answer", "sources", "fired", "evidence", "risk", "probability", "incident_id", "interaction_id", "tenant",
		"model", "service", "operation", "provider", "attributes", "occurred_at", // confab rate splits by them
	}
}

// Draw evaluates every answer of the log, draws some and writes them as a table, atomically; a table that exists is never
// replaced. Two lines on w say what was drawn and what to do next. Lines that cannot be read are reported on errw; the error then
// wraps ErrLeftOut. What was drawn is in memory.
func Draw(ctx context.Context, w, errw io.Writer, o Options) error {
	if err := o.checkTable(); err != nil {
		return &console.InputError{Err: err}
	}
	f := &fitRun{o: &o, errw: errw}
	index, err := f.join(ctx)
	if err != nil {
		return err
	}
	s := &f.log
	var answers []draw.Answer
	var free, known []drawnRow
	for i := range s.rows {
		if v := index.verdicts[s.rows[i].Group]; v != nil {
			known = append(known, drawnRow{incident: s.rows[i].Group, probability: 1, said: v})
			continue
		}
		answers = append(answers, o.drawn(&s.rows[i]))
		free = append(free, drawnRow{incident: s.rows[i].Group})
	}
	if len(free) == 0 {
		return console.InputErrorf("all %d answers of %s are labelled: draw from a longer log", len(s.rows), o.Log.Path)
	}
	probabilities := draw.Probabilities(draw.Sizes(answers), o.Draws)
	chosen := draw.Draw(probabilities, o.Seed)
	var rows []drawnRow
	fired, near := 0, 0
	for _, i := range chosen {
		free[i].probability = probabilities[i]
		rows = append(rows, free[i])
		if answers[i].Fired {
			fired++
		} else if answers[i].Near {
			near++
		}
	}
	if err := o.writeTable(ctx, append(rows, known...), len(rows)); err != nil {
		return err
	}
	of := fmt.Sprintf("%d answers", len(s.rows))
	if len(known) > 0 {
		of = fmt.Sprintf("%d answers without a label", len(free))
	}
	next, table := "write wrong or fine in its column verdict", o.Out
	if o.isPage() {
		next, table = "open it, say wrong or fine of each answer and save labels.csv", "labels.csv"
	}
	err = console.Printf(w, "drew %d of %s into %s: on %d a detector fired, on %d one nearly did; the rest is at random\nnext: %s, then run: %s --labels %s --out calibration.yaml\n",
		len(chosen), of, o.Out, fired, near, next, o.Command, strings.Join(append(slices.Clone(o.Labels), table), " --labels "))
	return errors.Join(err, s.leftOut())
}

// checkTable rejects a table that cannot be written, and one that is there: it may hold an hour of work.
func (o *Options) checkTable() error {
	if !o.isPage() {
		if err := tablefile.CheckName(o.Out); err != nil {
			return err
		}
	}
	if _, err := os.Stat(o.Out); err == nil {
		next, table := "fill it in", o.Out
		if o.isPage() {
			next, table = "open it, save labels.csv", "labels.csv"
		}
		return fmt.Errorf("%s is there already: %s and run %s --labels %s --out calibration.yaml, or draw into another file with --out", o.Out, next, o.Command, table)
	}
	return files.CheckWritable(o.Out)
}

// drawn is what the draw knows of a row.
func (o *Options) drawn(r *measure.Row) draw.Answer {
	var scores []draw.Score
	for _, s := range r.Signals {
		if at, armed := o.InForce.Threshold(s.Detector, r.Tenant, r.Operation, r.Model); armed && s.HasScore {
			scores = append(scores, draw.Score{Detector: s.Detector, Score: s.Score, Threshold: at})
		}
	}
	risk, known := r.Risk(o.InForce)
	if !known {
		risk = math.NaN()
	}
	minRisk, _ := o.InForce.AlertRisk()
	return draw.New(scores, func(fired []string) bool { return o.Policy.Holds(r.Tenant, fired, risk, minRisk) })
}

// drawnRow is a row of the table. An answer that is labelled already stands for itself, so that this table alone stands for the log.
type drawnRow struct {
	incident    string
	probability float64
	said        *verdict // nil: not labelled yet
}

// writeTable reads the log again and writes the rows, the first n of which were drawn, in their order: who stops half-way has labelled
// a random part.
func (o *Options) writeTable(ctx context.Context, rows []drawnRow, n int) error {
	place := make(map[string]int, len(rows)) // by incident
	for k := range rows {
		place[rows[k].incident] = k
	}
	page := &check.Page{Name: filepath.Base(o.Log.Path), At: o.Now(), Only: "all", Rows: make([]*rowview.Row, n), Drawn: make([]check.Drawn, n), Total: n}
	cells := make([][]any, len(rows))
	_, _, err := o.Log.EachLine(func(l *labelled.InteractionLine) error {
		in := &l.Row.Interaction
		k, is := place[in.EventID().IncidentID()]
		if is && cells[k] == nil {
			f := o.Evaluator.Evaluate(ctx, in, l.Origin, o.Now())
			cells[k] = answerCells(in, &f, rows[k].probability)
			said := rows[k].said
			if said != nil {
				cells[k][0] = said.word()
				page.Labelled = append(page.Labelled, check.Drawn{Incident: f.IncidentID, Tenant: f.Tenant, Probability: 1, Verdict: said.word()})
			}
			if o.isPage() && said == nil {
				page.Rows[k] = rowview.New(in, &f, o.Redactor)
				page.Rows[k].Sources = rowview.SourceTexts(in, o.Redactor, maxSources)
				page.Drawn[k] = check.Drawn{Incident: f.IncidentID, Tenant: f.Tenant, Probability: rows[k].probability}
			}
		}
		return ctx.Err()
	})
	if err != nil {
		return err
	}
	if slices.ContainsFunc(cells, func(row []any) bool { return row == nil }) {
		return fmt.Errorf("%s changed while it was read: run the command again", o.Log.Path)
	}
	_, err = files.WriteAtomic(o.Out, func(w io.Writer) error {
		if o.isPage() {
			_, err := check.Write(w, page)
			return err
		}
		return writeCells(w, cells)
	})
	return err
}

// isPage reports whether the answers are drawn into a page for a browser, which saves the table of verdicts.
func (o *Options) isPage() bool { return strings.EqualFold(filepath.Ext(o.Out), ".html") }

func writeCells(w io.Writer, cells [][]any) error {
	table, err := tablefile.NewWriter(w, columns())
	if err != nil {
		return err
	}
	for _, row := range cells {
		err = errors.Join(err, table.Write(row...))
	}
	return errors.Join(err, table.Flush())
}

func answerCells(in *schemas.Interaction, f *schemas.Flag, probability float64) []any {
	risk := math.NaN()
	if f.Risk != nil {
		risk = math.Round(*f.Risk*1000) / 1000
	}
	sources := make([]string, len(in.Sources))
	for i := range in.Sources {
		sources[i] = in.Sources[i].Text
	}
	attributes, at := "", ""
	if len(in.Attributes) > 0 {
		text, _ := json.Marshal(in.Attributes) // strings are always encoded
		attributes = string(text)
	}
	if !in.OccurredAt.IsZero() {
		at = in.OccurredAt.UTC().Format(time.RFC3339)
	}
	return []any{
		"", "", strings.TrimSpace(in.UserQuestion()), in.Answer, strings.Join(sources, "\n---\n"), strings.Join(f.Fired, " "), evidenceText(f),
		risk, probability, f.IncidentID, in.ID, in.Tenant, in.Model, in.Service, in.Operation, in.Provider, attributes, at,
	}
}

// evidenceText lists what the detectors that fired found.
func evidenceText(f *schemas.Flag) string {
	var list []string
	for i := range f.Signals {
		for _, e := range f.Signals[i].Evidence {
			if len(list) == maxEvidence {
				break
			}
			text := f.Signals[i].Detector + ":"
			if e.Excerpt != "" {
				text += " “" + e.Excerpt + "”"
			}
			if e.Note != "" {
				text += " " + e.Note
			}
			list = append(list, text)
		}
	}
	return strings.Join(list, "\n")
}
