package review

import (
	"context"
	"errors"
	"fmt"
	"io"
	"math"
	"strings"
	"time"

	"confab/internal/cli/labelled"
	"confab/internal/console"
	"confab/internal/files"
	"confab/internal/tablefile"
	"confab/schemas"
)

// Options configure Run.
type Options struct {
	Interactions labelled.InteractionFile
	Evaluate     func(ctx context.Context, in *schemas.Interaction, origin schemas.Origin, now time.Time) schemas.Flag
	Now          func() time.Time
	Random, Grey int // answers to draw
	Seed         uint64
	Out          string         // a table to fill in
	Progress     func(rows int) // called after every answer; may be nil
}

// ErrLeftOut says that some lines could not be read; each was reported.
var ErrLeftOut = errors.New("some lines could not be read")

const maxEvidence = 5 // excerpts of one answer

// reviewColumns are those of the table. A person fills in verdict and, if they like, note and by.
func reviewColumns() []string {
	return []string{
		"incident_id", "interaction_id", "tenant", "verdict", "note", "by", "probability", "drawn", "risk", "fired", "evidence", "question", "answer", "sources",
	}
}

// Run evaluates every interaction of the file, draws some and writes them as a table, atomically. A summary goes to w,
// lines that cannot be read to errw; the error then wraps ErrLeftOut. Memory is one byte per interaction, and what was
// drawn is evaluated again.
func Run(ctx context.Context, w, errw io.Writer, o Options) error {
	err := tablefile.CheckName(o.Out)
	if err == nil {
		err = files.CheckWritable(o.Out)
	}
	if err != nil {
		return &console.InputError{Err: err}
	}
	zone, faults, err := o.survey(ctx)
	if err != nil {
		return err
	}
	console.PrintFaults(errw, faults)
	if len(zone) == 0 {
		return &console.InputError{Err: fmt.Errorf("%s: no interaction can be read", o.Interactions.Path)}
	}
	d := drawAnswers(zone, o.Random, o.Grey, o.Seed)
	if err := o.writeDrawn(ctx, d); err != nil {
		return err
	}
	if err := console.Printf(w, "%s", o.summary(zone, d)); err != nil {
		return err
	}
	if len(faults) > 0 {
		return fmt.Errorf("%w: %d", ErrLeftOut, len(faults))
	}
	return nil
}

// survey reports for every interaction whether it is in the grey zone.
func (o *Options) survey(ctx context.Context) (zone []bool, faults []string, err error) {
	_, faults, err = o.Interactions.EachLine(func(l *labelled.InteractionLine) error {
		f := o.Evaluate(ctx, &l.Row.Interaction, schemas.Origin{}, o.Now())
		zone = append(zone, inGreyZone(&f))
		if o.Progress != nil {
			o.Progress(len(zone))
		}
		return ctx.Err()
	})
	if err != nil && ctx.Err() == nil {
		err = &console.InputError{Err: err}
	}
	return zone, faults, err
}

func (o *Options) writeDrawn(ctx context.Context, d drawn) error {
	_, err := files.WriteAtomic(o.Out, func(w io.Writer) error { return o.writeTable(ctx, w, d) })
	return err
}

func (o *Options) writeTable(ctx context.Context, w io.Writer, d drawn) error {
	table, err := tablefile.NewWriter(w, reviewColumns())
	if err != nil {
		return err
	}
	index, written := 0, 0
	_, _, err = o.Interactions.EachLine(func(l *labelled.InteractionLine) error {
		one, is := d[index]
		index++
		if !is {
			return ctx.Err()
		}
		written++
		in := &l.Row.Interaction
		f := o.Evaluate(ctx, in, schemas.Origin{}, o.Now())
		return writeAnswer(table, in, &f, one)
	})
	if err == nil && written != len(d) {
		err = fmt.Errorf("%s changed while it was read: run the command again", o.Interactions.Path)
	}
	return errors.Join(err, table.Flush())
}

func writeAnswer(table *tablefile.Writer, in *schemas.Interaction, f *schemas.Flag, one draw) error {
	how := "random"
	switch {
	case one.random && one.grey:
		how = "random, grey"
	case one.grey:
		how = "grey"
	}
	risk := math.NaN()
	if f.Risk != nil {
		risk = *f.Risk
	}
	sources := make([]string, len(in.Sources))
	for i := range in.Sources {
		sources[i] = in.Sources[i].Text
	}
	return table.Write(f.IncidentID, in.ID, in.Tenant, "", "", "", one.probability, how, risk, strings.Join(f.Fired, " "),
		evidenceText(f), strings.TrimSpace(in.UserQuestion()), in.Answer, strings.Join(sources, "\n---\n"))
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

func (o *Options) summary(zone []bool, d drawn) string {
	inside, random, grey := 0, 0, 0
	for _, in := range zone {
		if in {
			inside++
		}
	}
	for _, one := range d {
		if one.random {
			random++
		}
		if one.grey {
			grey++
		}
	}
	return fmt.Sprintf("%d answers, %d of them in the grey zone; drew %d: %d at random, %d of the grey zone, %d by both\nwrote %s: fill in verdict (confirmed where the answer is wrong, false_positive where it is fine)\n",
		len(zone), inside, len(d), random, grey, random+grey-len(d), o.Out)
}
