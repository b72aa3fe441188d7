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
	Votes  incidents.Votes
	Start  time.Time // of the flags' records
}

// read adds the flags and all labels of the topics to the collector.
func (t *Topics) read(ctx context.Context, c *rate.Collector) (unreadable int, err error) {
	for _, topic := range []string{t.Flags.Topic, t.Labels, t.Votes.Topic} {
		if topic == "" {
			continue
		}
		if err := cluster.RequireTopic(ctx, t.Flags.Kafka, topic); err != nil {
			return 0, err
		}
	}
	start := kafka.Position{Kind: kafka.PositionTime, Time: t.Start}
	unreadable, err = incidents.EachFlag(ctx, &t.Flags, start, c.AddFlag)
	if err != nil {
		return unreadable, err
	}
	more, err := incidents.EachLabel(ctx, t.Flags.Kafka, t.Labels, c.AddLabel)
	if err != nil {
		return unreadable, err
	}
	votes, err := t.Votes.Each(ctx, t.Flags.Kafka, start, c.AddVote)
	return unreadable + more + votes, err
}

// IsTable reports whether a file is read as a reviewed table, and not as flags. A workbook is refused as such.
func IsTable(path string) bool {
	return slices.Contains([]string{".csv", ".xlsx", ".ods"}, strings.ToLower(filepath.Ext(path)))
}

// readFlags adds the flags of a file of confab check or confab tail --json. Another kind of record is an input error.
func readFlags(c *rate.Collector, path string, notes io.Writer) error {
	file, err := os.Open(path)
	if err != nil {
		return &console.InputError{Err: err}
	}
	defer file.Close()
	lines, err := files.NewLines(file, json.DefaultMaxBytes)
	seen, n := map[string]bool{}, 0 // answers, flags
	for err == nil {
		var line []byte
		if line, err = lines.Next(); err != nil {
			break
		}
		f := new(schemas.Flag)
		if bad := json.DecodeFlag(line, f); bad != nil || f.IncidentID == "" || f.Pass == "" {
			return console.InputErrorf("%s: line %d is no flag: %s", path, lines.Number(), remedy(line))
		}
		n, seen[f.IncidentID+string(f.Pass)] = n+1, true
		err = c.AddFlag(f)
	}
	if repeated := n - len(seen); repeated > 0 {
		fmt.Fprintf(notes, "%s: %d flags repeat an answer under the same id: each answer counts once\n", path, repeated)
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
	return "give what confab check or confab tail --json writes, or the table (.csv) that confab tune drew; of a log that they cannot read confab map proposes a map"
}

// reviewed are the rows of a table that was drawn and filled in.
type reviewed struct {
	rows     []rate.Reviewed // each answer once
	unfilled int             // rows without a verdict

	path    string
	before  bool // it is of the window that is compared
	columns map[string]bool
}

// maxFaults bounds the rows that an error names.
const maxFaults = 20

// readTable reads a reviewed table. Rows that cannot be used are an input error, with their places. said is what tables before it say.
func readTable(path string, said verdicts) (*reviewed, error) {
	rows, bad, err := tablefile.ReadTable(path)
	if err != nil {
		return nil, &console.InputError{Err: err}
	}
	t := &reviewed{path: path, columns: map[string]bool{}}
	var faults []error
	for _, b := range bad {
		faults = append(faults, b)
	}
	for i := range rows {
		for name := range rows[i].Values {
			t.columns[name] = true
		}
		if strings.TrimSpace(rows[i].Values["verdict"]) == "" {
			t.unfilled++
			continue
		}
		r, err := readReviewed(rows[i].Values)
		if err != nil {
			faults = append(faults, fmt.Errorf("%s: %w", rows[i].Place, err))
			continue
		}
		switch old, is := said[r.Incident]; {
		case is && old.verdict != r.Verdict: // nobody knows which is right
			faults = append(faults, fmt.Errorf("%s: contradicts %s: correct one of them", rows[i].Place, old.place))
		case !is || old.path != path: // an answer of two tables counts for both
			said[r.Incident] = saidAt{r.Verdict, path, rows[i].Place}
			t.rows = append(t.rows, r)
		}
	}
	return t, t.check(faults)
}

// verdicts are what the tables of a window say, by incident.
type verdicts map[string]saidAt

type saidAt struct {
	verdict     schemas.HumanVerdict
	path, place string
}

func (t *reviewed) check(faults []error) error {
	switch {
	case t.unfilled > 0 && len(t.rows)+len(faults) == 0:
		return console.InputErrorf("%s: no row has a verdict: write wrong or fine in the column verdict", t.path)
	case !t.columns["probability"]:
		return console.InputErrorf("%s has no column probability, so that nobody knows which answers its rows stand for: draw the table with confab tune", t.path)
	}
	if more := len(faults) - maxFaults; more > 0 {
		faults = append(faults[:maxFaults], fmt.Errorf("and %d more rows", more))
	}
	if len(faults) == 0 {
		return nil
	}
	return &console.InputError{Err: errors.Join(faults...)}
}

func readReviewed(values map[string]string) (r rate.Reviewed, err error) {
	verdict, ok := schemas.ParseVerdict(values["verdict"])
	p, bad := strconv.ParseFloat(strings.Replace(strings.TrimSpace(values["probability"]), ",", ".", 1), 64) // as some spreadsheets write it
	r = rate.Reviewed{
		Incident: values["incident_id"], Verdict: verdict, Probability: p,
		Labels: rate.Labels{
			Model: values["model"], Service: values["service"], Operation: values["operation"], Tenant: values["tenant"], Provider: values["provider"],
		},
	}
	if text := values["attributes"]; text != "" {
		if err := stdjson.Unmarshal([]byte(text), &r.Labels.Attributes); err != nil {
			return r, fmt.Errorf("attributes: expected a JSON object of strings: %w", err)
		}
	}
	if text := values["occurred_at"]; text != "" {
		if r.At, err = time.Parse(time.RFC3339, text); err != nil {
			return r, fmt.Errorf("occurred_at %q: expected a time such as 2026-11-23T08:00:00Z, or nothing", text)
		}
	}
	switch {
	case !ok:
		return r, fmt.Errorf("verdict %q: write wrong or fine", values["verdict"])
	case bad != nil || !(p >= rate.LeastProbability && p <= 1):
		return r, fmt.Errorf("probability %q: it is that of drawing the answer, at least %g and at most 1", values["probability"], rate.LeastProbability)
	case r.Incident == "":
		return r, errors.New("has no incident_id, by which flags are found: keep the columns of the table that confab tune drew")
	}
	return r, nil
}

// Inputs are what rates are estimated from.
type Inputs struct {
	Paths   []string  // flags and tables
	Against string    // those of the window that is compared; "" for none
	Topics  *Topics   // nil: none
	Windows bool      // rows are of a window by their times
	Asked   bool      // for the dimensions: refuse those that no answer has, else leave them out
	Notes   io.Writer // gets what is left out
}

// Estimate reads all inputs: flags before labels before tables.
func (in *Inputs) Estimate(ctx context.Context, o rate.Options) (*rate.Result, error) {
	var tables []*reviewed
	paths, said := append(slices.Clone(in.Paths), in.Against), map[bool]verdicts{false: {}, true: {}}
	flags := in.Topics != nil || slices.ContainsFunc(paths, func(path string) bool { return path != "" && !IsTable(path) })
	for i, path := range paths {
		if !IsTable(path) {
			continue
		}
		before := i == len(in.Paths)
		t, err := readTable(path, said[before])
		if err != nil {
			return nil, err
		}
		if t.before = before; in.Windows && !flags && !t.columns["occurred_at"] { // flags would say the time
			return nil, console.InputErrorf("no row of %s has a time in a column occurred_at, so that they are of no window: give the earlier table as --against FILE", path)
		}
		tables = append(tables, t)
	}
	c, err := rate.NewCollector(o)
	if err != nil {
		return nil, &console.InputError{Err: err}
	}
	if err := in.add(ctx, c, tables); err != nil {
		return nil, err
	}
	res := c.Result()
	if len(res.Rows) == 0 {
		return &res, nil
	}
	return &res, in.leaveOut(&res)
}

// leaveOut leaves out dimensions in which no answer has a value; one that was asked for is an input error.
func (in *Inputs) leaveOut(res *rate.Result) error {
	for i, name := range slices.Backward(res.By) {
		attribute, is := strings.CutPrefix(name, rate.AttributePrefix)
		switch {
		case slices.ContainsFunc(res.Rows, func(r rate.Row) bool { return r.Values[i] != "" }):
		case in.Asked && is:
			return console.InputErrorf("--by %s: no answer has it: flags hold what flags.attributes names: set flags.attributes: [%s]; tables of confab tune hold what records have: a map says where (docs/existing-topics.md)", name, attribute)
		case in.Asked:
			return console.InputErrorf("--by %s: no answer has one: draw the table with confab tune, or give the flags of its answers, too", name)
		default:
			res.By = slices.Delete(slices.Clone(res.By), i, i+1)
			for k := range res.Rows {
				res.Rows[k].Values = slices.Delete(res.Rows[k].Values, i, i+1)
			}
		}
	}
	return nil
}

func (in *Inputs) add(ctx context.Context, c *rate.Collector, tables []*reviewed) error {
	for i, path := range append(slices.Clone(in.Paths), in.Against) {
		c.Earlier = i == len(in.Paths)
		if path != "" && !IsTable(path) {
			if err := readFlags(c, path, in.Notes); err != nil {
				return err
			}
		}
	}
	c.Earlier = false
	if in.Topics != nil {
		unreadable, err := in.Topics.read(ctx, c)
		if err != nil {
			return err
		}
		if unreadable > 0 {
			fmt.Fprintf(in.Notes, "%d records could not be read\n", unreadable)
		}
	}
	for _, t := range tables {
		if err := in.addTable(c, t); err != nil {
			return err
		}
	}
	return nil
}

func (in *Inputs) addTable(c *rate.Collector, t *reviewed) error {
	c.Earlier = t.before
	outside := c.Outside
	for i := range t.rows {
		if err := c.AddReviewed(&t.rows[i]); err != nil {
			return err
		}
	}
	if n := c.Outside - outside; n > 0 {
		fmt.Fprintf(in.Notes, "%s: %d rows are of other times and do not count\n", t.path, n)
	}
	if t.unfilled > 0 {
		fmt.Fprintf(in.Notes, "%s: %d rows have no verdict and do not count\n", t.path, t.unfilled)
	}
	return nil
}
