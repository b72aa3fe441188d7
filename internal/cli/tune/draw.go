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
	"confab/internal/redact"
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
		"verdict", "note", "question", "answer", "sources", "probability", "incident_id", "interaction_id", "tenant",
		"model", "service", "operation", "provider", "attributes", "occurred_at", // confab rate splits by them
		"fired", "evidence", "risk", // last: who sees them first judges by them
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
	if err := f.readVerdicts(ctx); err != nil {
		return err
	}
	said := map[string]schemas.HumanVerdict{} // by incident
	for i := range f.rows {
		if said[f.rows[i].Group] = schemas.Fine; f.rows[i].Positive {
			said[f.rows[i].Group] = schemas.Wrong
		}
	}
	free := slices.DeleteFunc(slices.Clone(f.answers), func(r measure.Row) bool { return said[r.Group] != "" })
	if len(free) == 0 {
		return console.InputErrorf("all %d answers of %s are labelled: draw from a longer log", len(f.answers), o.Log.Path)
	}
	answers := make([]draw.Answer, len(free))
	for i := range free {
		answers[i] = o.drawn(&free[i])
	}
	probabilities := draw.Probabilities(draw.Sizes(answers), o.Draws)
	chosen := draw.Draw(probabilities, o.Seed)
	if err := o.writeTable(ctx, free, chosen, probabilities, said); err != nil {
		return err
	}
	fired, near := 0, 0
	for _, i := range chosen {
		if answers[i].Fired {
			fired++
		} else if answers[i].Near {
			near++
		}
	}
	next := map[bool]string{true: "open it, say wrong or fine of each answer and save labels.csv", false: "write wrong or fine in its column verdict"}[o.isPage()]
	err := console.Printf(w, "drew %d of %d answers%s into %s: on %d a detector fired, on %d one nearly did; the rest is at random\nnext: %s, then run: %s\n",
		len(chosen), len(free), map[bool]string{true: " without a label"}[len(o.Labels) > 0], o.Out, fired, near, next, o.nextCommand())
	return errors.Join(err, f.log.leftOut())
}

// nextCommand is the one that reads the table when it is filled in.
func (o *Options) nextCommand() string {
	table := map[bool]string{true: "labels.csv", false: console.ShellQuote(o.Out)}[o.isPage()]
	return o.Command + " --labels " + strings.Join(append(slices.Clone(o.Labels), table), " --labels ") + " --out calibration.yaml"
}

// checkTable rejects a table that cannot be written, and one that is there: it may hold an hour of work.
func (o *Options) checkTable() error {
	if !o.isPage() {
		if err := tablefile.CheckName(o.Out); err != nil {
			return err
		}
	}
	if _, err := os.Stat(o.Out); err == nil {
		next := map[bool]string{true: "open it, save labels.csv", false: "fill it in"}[o.isPage()]
		return fmt.Errorf("%s is there already: %s and run %s, or draw into another file with --out", o.Out, next, o.nextCommand())
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

// writeTable reads the log again and writes the chosen answers, in the order of the draw: who stops half-way has labelled a random
// part. What is labelled already follows and stands for itself, so that this table, too, stands for the log.
func (o *Options) writeTable(ctx context.Context, rows []measure.Row, chosen []int, probabilities []float64, said map[string]schemas.HumanVerdict) error {
	place := make(map[string]int, len(chosen)) // by incident
	for k, i := range chosen {
		place[rows[i].Group] = k
	}
	page := &check.Page{Name: filepath.Base(o.Log.Path), At: o.Now(), Only: "all", Next: o.nextCommand(), Rows: make([]*rowview.Row, len(chosen)), Drawn: make([]check.Drawn, len(chosen)), Total: len(chosen)}
	cells, known := make([][]any, len(chosen)), [][]any(nil)
	_, _, err := o.Log.EachLine(func(l *labelled.InteractionLine) error {
		in := &l.Row.Interaction
		incident := in.EventID().IncidentID()
		k, is := place[incident]
		verdict := said[incident]
		if verdict == "" && (!is || cells[k] != nil) {
			return ctx.Err()
		}
		f := o.Evaluator.Evaluate(ctx, in, l.Origin, o.Now())
		if verdict != "" {
			delete(said, incident) // a line that repeats it gives no second row
			row := answerCells(in, &f, 1)
			row[0] = string(verdict)
			known, page.Labelled = append(known, row), append(page.Labelled, check.Drawn{Incident: incident, Tenant: f.Tenant, Probability: 1, Verdict: verdict})
			return ctx.Err()
		}
		cells[k] = answerCells(in, &f, probabilities[chosen[k]])
		if o.isPage() {
			page.Rows[k] = rowview.New(in, &f, redact.Nothing())
			page.Rows[k].Sources = rowview.SourceTexts(in, redact.Nothing(), maxSources)
			page.Drawn[k] = check.Drawn{Incident: f.IncidentID, Tenant: f.Tenant, Probability: probabilities[chosen[k]], Of: split(cells[k])}
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
		return writeCells(w, append(cells, known...))
	})
	return err
}

// split is a JSON object of the cells by which confab rate splits, by column.
func split(cells []any) string {
	of := map[string]string{}
	for i, name := range columns() {
		if text := fmt.Sprint(cells[i]); text != "" && slices.Contains([]string{"service", "model", "operation", "provider", "attributes", "occurred_at"}, name) {
			of[name] = text
		}
	}
	raw, _ := json.Marshal(of) // strings are always encoded
	return string(raw)
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
		"", "", strings.TrimSpace(in.UserQuestion()), in.Answer, strings.Join(sources, "\n---\n"), probability, f.IncidentID, in.ID, in.Tenant,
		in.Model, in.Service, in.Operation, in.Provider, attributes, at, strings.Join(f.Fired, " "), evidenceText(f), risk,
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
