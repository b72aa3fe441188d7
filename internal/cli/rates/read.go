package rates

import (
	"context"
	stdjson "encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"

	"confab/calibration/rate"
	"confab/internal/console"
	"confab/internal/files"
	"confab/internal/kafka"
	"confab/internal/tablefile"
	"confab/internal/worker/cluster"
	"confab/internal/worker/incidents"
	"confab/schemas"
	"confab/schemas/json"
)

// Topics are where flags and labels are read.
type Topics struct {
	Flags  incidents.FindOptions
	Labels string
	Start  time.Time // of the flags' records
}

// Read adds the flags and all labels of the topics to the collector.
func (t *Topics) Read(ctx context.Context, c *rate.Collector) (unreadable int, err error) {
	for _, topic := range []string{t.Flags.Topic, t.Labels} {
		if err := cluster.RequireTopic(ctx, t.Flags.Kafka, topic); err != nil {
			return 0, err
		}
	}
	unreadable, err = incidents.EachFlag(ctx, &t.Flags, kafka.Position{Kind: kafka.PositionTime, Time: t.Start}, c.AddFlag)
	if err != nil {
		return unreadable, err
	}
	more, err := incidents.EachLabel(ctx, t.Flags.Kafka, t.Labels, c.AddLabel)
	return unreadable + more, err
}

// IsTable reports whether a file is read as a reviewed table, and not as flags.
func IsTable(path string) bool { return strings.EqualFold(filepath.Ext(path), ".csv") }

// ReadFlags adds the flags of a file of confab check or confab tail --json. Another kind of record is an input error.
func ReadFlags(c *rate.Collector, path string) error {
	file, err := os.Open(path)
	if err != nil {
		return &console.InputError{Err: err}
	}
	defer file.Close()
	lines, err := files.NewLines(file, json.DefaultMaxBytes)
	for err == nil {
		var line []byte
		if line, err = lines.Next(); err != nil {
			break
		}
		f := new(schemas.Flag)
		if bad := json.DecodeFlag(line, f); bad != nil || f.IncidentID == "" || f.Pass == "" {
			return console.InputErrorf("%s: line %d is no flag: %s", path, lines.Number(), remedy(line))
		}
		err = c.AddFlag(f)
	}
	if errors.Is(err, io.EOF) {
		return nil
	}
	return fmt.Errorf("%s: line %d: %w", path, lines.Number(), err)
}

// remedy says what a line is that is no flag, and what to do with it.
func remedy(line []byte) string {
	var members map[string]stdjson.RawMessage
	_ = stdjson.Unmarshal(line, &members)
	has := func(name string) bool { return members[name] != nil }
	switch {
	case has("label"):
		return "it is a labelled row, which nobody drew with a known probability, so that its share says nothing about your traffic; draw answers with confab tune"
	case has("verdict"):
		return "it is a label; give the flags of confab check or confab tail --json, or the table that confab tune drew"
	case has("answer"), has("messages"):
		return "it is an interaction, which nobody has judged; confab tune draws answers to label, confab check --deep asks a judge and writes flags"
	}
	return "give what confab check or confab tail --json writes, or the table (.csv) that confab tune drew"
}

// Table are the rows of a table that was drawn and filled in.
type Table struct {
	Rows     []rate.Reviewed
	Unfilled int // rows without a verdict

	path    string
	columns map[string]bool
}

// ReadTable reads a reviewed table. Rows that cannot be used are an input error, with their places.
func ReadTable(path string) (*Table, error) {
	rows, bad, err := tablefile.ReadTable(path)
	if err != nil {
		return nil, &console.InputError{Err: err}
	}
	t := &Table{path: path, columns: map[string]bool{}}
	var faults []error
	for _, b := range bad {
		faults = append(faults, b)
	}
	for i := range rows {
		for name := range rows[i].Values {
			t.columns[name] = true
		}
		if strings.TrimSpace(rows[i].Values["verdict"]) == "" {
			t.Unfilled++
			continue
		}
		r, err := readReviewed(rows[i].Values)
		if err != nil {
			faults = append(faults, fmt.Errorf("%s: %w", rows[i].Place, err))
			continue
		}
		t.Rows = append(t.Rows, r)
	}
	switch {
	case len(rows) > 0 && !t.columns["probability"]:
		return nil, console.InputErrorf("%s has no column probability, so that nobody knows which answers its rows stand for: draw the table with confab tune", path)
	case len(rows) > 0 && len(rows) == t.Unfilled:
		return nil, console.InputErrorf("%s: no row has a verdict: write wrong or fine in the column verdict", path)
	case len(faults) > 0:
		return nil, &console.InputError{Err: errors.Join(faults[:min(len(faults), 20)]...)}
	}
	return t, nil
}

func readReviewed(values map[string]string) (r rate.Reviewed, err error) {
	verdict, ok := schemas.ParseVerdict(values["verdict"])
	p, bad := strconv.ParseFloat(strings.TrimSpace(values["probability"]), 64)
	r = rate.Reviewed{
		Incident: values["incident_id"], Verdict: verdict, Probability: p,
		Labels: rate.Labels{
			Model: values["model"], Service: values["service"], Operation: values["operation"], Tenant: values["tenant"], Provider: values["provider"], Attributes: map[string]string{},
		},
	}
	for name, value := range values {
		if attribute, is := strings.CutPrefix(name, rate.AttributePrefix); is {
			r.Labels.Attributes[attribute] = value
		}
	}
	if text := values["occurred_at"]; text != "" {
		if r.At, err = time.Parse(time.RFC3339, text); err != nil {
			return r, fmt.Errorf("occurred_at: %w", err)
		}
	}
	switch {
	case !ok:
		return r, fmt.Errorf("verdict %q: write wrong or fine", values["verdict"])
	case bad != nil || !(p > 0 && p <= 1):
		return r, fmt.Errorf("probability %q: it is that of drawing the answer, above 0 and at most 1", values["probability"])
	case r.Incident == "":
		return r, errors.New("incident_id is empty")
	}
	return r, nil
}

// Known are the dimensions that the table has a column for, and At whether it has the times of answers.
func (t *Table) Known(by []string) (known []string) {
	for _, name := range by {
		if t.columns[name] {
			known = append(known, name)
		}
	}
	return known
}

// CheckWindows refuses a table without the times of its answers.
func (t *Table) CheckWindows() error {
	if t.columns["occurred_at"] {
		return nil
	}
	return console.InputErrorf("%s has no column occurred_at, so that its rows are of no window: give the earlier table as --against FILE", t.path)
}

// Inputs are what rates are estimated from.
type Inputs struct {
	Paths   []string  // flags and tables
	Against string    // those of the window that is compared; "" for none
	Topics  *Topics   // nil: none
	Windows bool      // rows are of a window by their times
	KeepBy  bool      // refuse a table without a column of a dimension; else leave the dimension out
	Notes   io.Writer // gets what is left out
}

// Estimate reads all inputs: flags before labels before tables.
func (in *Inputs) Estimate(ctx context.Context, o rate.Options) (*rate.Result, error) {
	var tables []*Table
	var err error
	flags := in.Topics != nil
	for _, path := range append(slices.Clone(in.Paths), in.Against) {
		if !IsTable(path) {
			flags = flags || path != ""
			continue
		}
		t, err := ReadTable(path)
		if err != nil {
			return nil, err
		}
		tables = append(tables, t)
	}
	for _, t := range tables {
		known := t.Known(o.By)
		switch missing := slices.DeleteFunc(slices.Clone(o.By), func(name string) bool { return slices.Contains(known, name) }); {
		case flags || len(missing) == 0:
		case in.KeepBy:
			return nil, console.InputErrorf("%s has no column %s: draw the table with confab tune, or give the flags of its answers, too", t.path, missing[0])
		default:
			o.By = known
		}
		if in.Windows && !flags {
			if err := t.CheckWindows(); err != nil {
				return nil, err
			}
		}
	}
	c, err := rate.NewCollector(o)
	if err != nil {
		return nil, &console.InputError{Err: err}
	}
	if err := in.add(ctx, c, tables); err != nil {
		return nil, err
	}
	res := c.Result()
	return &res, nil
}

func (in *Inputs) add(ctx context.Context, c *rate.Collector, tables []*Table) error {
	for _, path := range append(slices.Clone(in.Paths), in.Against) {
		c.Earlier = path == in.Against
		if path != "" && !IsTable(path) {
			if err := ReadFlags(c, path); err != nil {
				return err
			}
		}
	}
	c.Earlier = false
	if in.Topics != nil {
		unreadable, err := in.Topics.Read(ctx, c)
		if err != nil {
			return err
		}
		if unreadable > 0 {
			fmt.Fprintf(in.Notes, "%d records could not be read\n", unreadable)
		}
	}
	for _, t := range tables {
		c.Earlier = t.path == in.Against
		for i := range t.Rows {
			if err := c.AddReviewed(&t.Rows[i]); err != nil {
				return err
			}
		}
		if t.Unfilled > 0 {
			fmt.Fprintf(in.Notes, "%s: %d rows have no verdict and do not count\n", t.path, t.Unfilled)
		}
	}
	return nil
}
