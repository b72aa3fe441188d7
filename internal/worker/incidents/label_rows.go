package incidents

import (
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"confab/internal/console"
	"confab/internal/tablefile"
	"confab/schemas"
)

// labelRow is a row of a file of labels.
type labelRow struct {
	place       string
	incident    string // an id or a prefix of one; empty: by interaction
	interaction interactionKey
	label       schemas.Feedback
	flag        *schemas.Flag // nil until one is found
	others      []string      // further incidents that the row may mean
}

// interactionKey names the interaction of a flag.
type interactionKey struct{ tenant, id string }

// labelFile are the rows of a file of labels.
type labelFile struct {
	rows   []*labelRow
	faults []string
	read   int // rows of the file
	empty  int // rows without a verdict
}

// readLabelFile reads and checks the rows. user labels where a row names no person.
func readLabelFile(path, user string, now time.Time) (*labelFile, error) {
	table, bad, err := tablefile.ReadTable(path)
	if err != nil {
		return nil, &console.InputError{Err: err}
	}
	f := &labelFile{read: len(table) + len(bad)}
	for _, b := range bad {
		f.faults = append(f.faults, b.Error())
	}
	if err := requireColumns(path, table); err != nil {
		return nil, err
	}
	for _, row := range table {
		if row.Values["verdict"] == "" {
			f.empty++
			continue
		}
		r, err := parseLabelRow(row, user, now)
		if err != nil {
			f.faults = append(f.faults, row.Place+": "+err.Error())
			continue
		}
		f.rows = append(f.rows, r)
	}
	return f, nil
}

// requireColumns rejects a file whose rows name neither an incident nor an interaction, or have no verdict.
func requireColumns(path string, table []tablefile.Row) error {
	have := map[string]bool{}
	for _, row := range table {
		for name := range row.Values {
			have[name] = true
		}
	}
	if len(table) == 0 || have["verdict"] && (have["incident_id"] || have["interaction_id"]) {
		return nil
	}
	return console.InputErrorf("%s: no row has a verdict and an incident_id or interaction_id; its columns are %s: name them incident_id (or interaction_id and tenant), verdict, by, note, at",
		path, console.Sanitize(strings.Join(slices.Sorted(maps.Keys(have)), ", ")))
}

func parseLabelRow(row tablefile.Row, user string, now time.Time) (*labelRow, error) {
	at := func(names ...string) string {
		for _, name := range names {
			if v := strings.TrimSpace(row.Values[name]); v != "" {
				return v
			}
		}
		return ""
	}
	r := &labelRow{place: row.Place, label: schemas.Feedback{
		User: at("by", "user"), Comment: at("note", "comment"), Source: schemas.FromCLI, At: now.UTC(),
	}}
	var known bool
	if r.label.Verdict, known = schemas.ParseVerdict(at("verdict")); !known {
		return nil, fmt.Errorf("verdict %q: write wrong or fine, what the answer is", console.Sanitize(at("verdict")))
	}
	if r.label.User == "" {
		r.label.User = user
	}
	var err error
	if r.label.User, r.label.Comment, err = checkTexts(r.label.User, r.label.Comment); err != nil {
		return nil, errors.New(strings.NewReplacer("--user", "by", "--comment", "note").Replace(err.Error()))
	}
	if text := at("at"); text != "" {
		if r.label.At, err = time.Parse(time.RFC3339, text); err != nil {
			return nil, fmt.Errorf("at %q: write a time as in 2026-01-31T12:00:00Z", console.Sanitize(text))
		}
	}
	if id := at("incident_id"); id != "" {
		r.incident, _, err = incidentID(id)
		return r, err
	}
	if r.interaction.id = at("interaction_id"); r.interaction.id == "" {
		return nil, errors.New("names no incident_id and no interaction_id")
	}
	if r.interaction.tenant = at("tenant"); r.interaction.tenant == "" {
		r.interaction.tenant = schemas.DefaultTenant
	}
	return r, nil
}

// resolve checks the rows against the flags that were found. A row without a flag is a fault, unless force labels it by
// a whole id.
func (f *labelFile) resolve(force bool) {
	first := map[[2]string]*labelRow{} // by incident and person
	var kept []*labelRow
	for _, r := range f.rows {
		switch {
		case len(r.others) > 0:
			f.fault(r, "%d incidents match, such as %s and %s: write the whole incident_id", len(r.others)+1, r.flag.IncidentID, r.others[0])
			continue
		case r.flag != nil:
			r.label.IncidentID, r.label.Detectors, r.label.Judge = r.flag.IncidentID, slices.Sorted(slices.Values(r.flag.Fired)), r.flag.Judged()
		case force && len(r.incident) == incidentDigits:
			r.label.IncidentID = r.incident
		case r.incident != "":
			f.fault(r, "no retained flag has an id that starts with %s; --force labels whole ids", r.incident)
			continue
		default:
			f.fault(r, "no retained flag is of the interaction %s of tenant %s", console.Sanitize(r.interaction.id), console.Sanitize(r.interaction.tenant))
			continue
		}
		key := [2]string{r.label.IncidentID, r.label.User}
		if other := first[key]; other != nil {
			f.fault(r, "labels the same incident as %s, by the same person", other.place)
			continue
		}
		first[key] = r
		kept = append(kept, r)
	}
	f.rows = kept
}

func (f *labelFile) fault(r *labelRow, format string, args ...any) {
	f.faults = append(f.faults, r.place+": "+fmt.Sprintf(format, args...))
}
