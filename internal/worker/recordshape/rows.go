package recordshape

import (
	"cmp"
	"embed"
	"errors"
	"fmt"
	"maps"
	"path"
	"slices"
	"strings"
	"sync"

	"confab/internal/names"
	"confab/internal/strictyaml"
	"confab/schemas"
	"confab/schemas/json"
	"confab/schemas/json/mapspec"
)

//go:embed shapes/*.yaml
var shapeFiles embed.FS

// Row is one shape of records: how it is recognised and how it is read.
type Row struct {
	Name     string              `yaml:"name"` // such as langfuse.observation; without the family in its file
	When     []string            `yaml:"when"` // see json.Shape
	Unless   []string            `yaml:"unless"`
	Map      map[string]string   `yaml:"map"`       // entries of the map, as package mapspec parses them
	Where    map[string][]string `yaml:"where"`     // records of the shape that hold an answer; the others are skipped
	TimeZone string              `yaml:"time_zone"` // of times without one; "" is that of the family
	Search   bool                `yaml:"search"`    // see json.Shape
	AnyCase  bool                `yaml:"any_case"`  // see json.Shape
	Skip     string              `yaml:"skip"`      // why its records are never read, and no dead letters
	Remedy   string              `yaml:"remedy"`    // what to do about records that cannot be read; FILE stands for the file
	Join     *Join               `yaml:"join"`      // how records of files belong together; nil: each stands alone

	Family string `yaml:"-"` // the preset that holds it
	about  string // the description of the preset
}

// family is a file: a preset.
type family struct {
	Description string            `yaml:"description"`
	Map         map[string]string `yaml:"map"` // of all rows
	TimeZone    string            `yaml:"time_zone"`
	Rows        []Row             `yaml:"rows"`
}

// general are the families that every preset holds.
//
//nolint:gochecknoglobals // a read-only table
var general = []string{"api", "confab"}

// envelopes are members that may hold a whole record: those of Debezium, Kafka Connect, CloudEvents, log shippers and databases.
//
//nolint:gochecknoglobals // a read-only table
var envelopes = []string{
	"after", "payload", "data", "log", "message", "msg", "body", "value", "record", "event", "detail", "doc", "document", "fullDocument", "json", "content",
	"fields", "properties", "attributes", "result", "_source", "jsonPayload", "textPayload", "Message", "full_message", "_raw", "raw", "line", "entry", "new",
}

// table is what the files hold. It is read once.
//
//nolint:gochecknoglobals // read-only
var table = sync.OnceValues(func() ([]*Row, error) {
	entries, _ := shapeFiles.ReadDir("shapes") // an embedded folder is there
	var rows []*Row
	for _, e := range entries {
		text, err := shapeFiles.ReadFile(path.Join("shapes", e.Name()))
		if err != nil {
			return nil, fmt.Errorf("read shapes: %w", err)
		}
		var f family
		d := strictyaml.NewDecoder(nil)
		d.File(text, e.Name(), &f)
		if err := d.Err(); err != nil {
			return nil, fmt.Errorf("shapes: %w", err)
		}
		rows = append(rows, f.complete(strings.TrimSuffix(e.Name(), ".yaml"))...)
	}
	return rows, nil
})

// complete gives the rows what the family has.
func (f *family) complete(name string) (rows []*Row) {
	for i := range f.Rows {
		r := &f.Rows[i]
		r.about = f.Description
		r.Family, r.Name, r.TimeZone = name, name+"."+r.Name, cmp.Or(r.TimeZone, f.TimeZone)
		if len(r.Map) > 0 || r.Search {
			all := map[string]string{}
			maps.Copy(all, f.Map)
			maps.Copy(all, r.Map)
			r.Map = all
		}
		rows = append(rows, r)
	}
	return rows
}

// Rows are all shapes.
func Rows() []*Row {
	rows, _ := table() // a test reads the files
	return rows
}

// FindRow returns the row of that name, also with the members that a record lay in.
func FindRow(name string) (row *Row, ok bool) {
	name, _, _ = strings.Cut(name, " ")
	at := slices.IndexFunc(Rows(), func(r *Row) bool { return r.Name == name })
	if at < 0 {
		return nil, false
	}
	return Rows()[at], true
}

// PresetNames returns the names of all presets in order.
func PresetNames() (names []string) {
	for _, r := range Rows() {
		if !slices.Contains(names, r.Family) {
			names = append(names, r.Family)
		}
	}
	return names
}

// UnknownPreset says which presets there are, and which of them have a similar name or are for what has the name.
func UnknownPreset(name string, known []string) string {
	text := fmt.Sprintf("unknown preset %q: known are %s", name, strings.Join(known, ", "))
	for _, r := range Rows() {
		isMeant := names.EditDistance(name, r.Family) <= 2 || len(name) > 2 && strings.Contains(strings.ToLower(r.about), strings.ToLower(name))
		if n := "; did you mean " + r.Family + "?"; isMeant && !strings.Contains(text, n) {
			text += n
		}
	}
	return text
}

// Reads reports whether a row of a preset reads a field from the record itself.
func Reads(preset, field string) bool {
	return slices.ContainsFunc(Rows(), func(r *Row) bool { return r.Family == preset && r.Map[field] != "" })
}

// Options select the shapes of an input.
type Options struct {
	Preset string            // shapes of that family alone; "" for all
	Map    map[string]string // entries that replace those of the shapes
	Where  map[string][]string
}

// Shapes returns the shapes of an input. The error of an unknown preset lists the known ones.
func Shapes(o Options) (*json.Shapes, error) {
	rows, err := table()
	if err != nil {
		return nil, err
	}
	if o.Preset != "" && !slices.Contains(PresetNames(), o.Preset) {
		return nil, errors.New(UnknownPreset(o.Preset, PresetNames()))
	}
	var shapes []json.Shape
	for _, r := range rows {
		if o.Preset != "" && r.Family != o.Preset && !slices.Contains(general, r.Family) {
			continue
		}
		s, err := r.shape(&o)
		if err != nil {
			return nil, err
		}
		if s.Search && s.Required {
			continue
		}
		shapes = append(shapes, s)
	}
	return json.NewShapes(shapes, envelopes)
}

// shape returns the row as package json takes it.
func (r *Row) shape(o *Options) (json.Shape, error) {
	s := json.Shape{Name: r.Name, When: r.When, Unless: r.Unless, Map: r.Map, Where: r.Where, Search: r.Search, AnyCase: r.AnyCase, Skip: r.Skip != ""}
	if len(r.Map) > 0 && len(o.Map) > 0 {
		s.Map = maps.Clone(r.Map)
		maps.Copy(s.Map, o.Map)
	}
	s.Required = o.Map["answer"]+o.Map[mapspec.Response]+o.Map[mapspec.Interaction] != ""
	if len(o.Where) > 0 {
		s.Where = o.Where
	}
	if r.TimeZone == "" {
		return s, nil
	}
	zone, err := json.ParseLocation(r.TimeZone)
	if s.Zone = zone; err != nil {
		return s, fmt.Errorf("shape %s: %w", r.Name, err)
	}
	return s, nil
}

// Decoder decodes one JSON value into an interaction. Its error is a *scan.Error, or json.ErrSkipped.
type Decoder interface {
	Decode(raw []byte, in *schemas.Interaction) error
}

// NewDecoder returns the decoder of an input's records: ours, and those of the shapes.
func NewDecoder(o Options, limits json.Options) (*json.Decoder, error) {
	shapes, err := all()
	if o.Preset != "" || len(o.Map)+len(o.Where) > 0 {
		shapes, err = Shapes(o)
	}
	if err != nil {
		return nil, err
	}
	limits.Shapes = shapes
	return json.NewDecoder(limits), nil
}

// all are the shapes of all rows.
//
//nolint:gochecknoglobals // read-only
var all = sync.OnceValues(func() (*json.Shapes, error) { return Shapes(Options{}) })

// DecodeLabelled decodes a line of a file: a labelled row, one of our records, or one of a known shape. The error is a *scan.Error, or
// json.ErrSkipped.
func DecodeLabelled(line []byte, row *schemas.Labelled) error {
	shapes, err := all()
	if err != nil {
		return err
	}
	err = shapes.DecodeLabelled(line, row)
	ReadTime(&row.Interaction)
	return err
}

// ReadTime sets a time that a file has without a zone: it is one of UTC. Its field stays malformed.
func ReadTime(in *schemas.Interaction) {
	if t := json.ParseTime(in.UnreadTime, in.UnreadOrder); 1 < t.Year() && t.Year() < 10_000 {
		in.OccurredAt = t
	}
}

// Recognise returns the row that reads a record, or whose Skip or Remedy concerns it: the most specific one. Our own records have none.
func Recognise(value []byte) (row *Row, ok bool) {
	var labelled schemas.Labelled
	_ = DecodeLabelled(value, &labelled) // the shape is known after an error, too
	return FindRow(labelled.Interaction.Shape)
}
