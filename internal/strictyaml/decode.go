// Package strictyaml reads strict configuration: a file and settings from outside it, applied one after the other to a struct.
// Every problem is reported with its place and a remedy.
package strictyaml

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"path/filepath"
	"reflect"
	"slices"
	"strconv"
	"strings"

	"go.yaml.in/yaml/v3"
)

// defaultMaxValues is what a configuration never reaches.
const defaultMaxValues = 20_000

// textTag marks scalars without a YAML type, which are not expanded: those of the environment and of flags, and the elements
// of a list with commas. No YAML text can produce it.
const textTag = "\x00text"

// Decoder applies sources of settings to a struct one after the other and collects all problems.
type Decoder struct {
	MaxValues int // bounds the values of all sources together, so that aliases of aliases cannot multiply the work

	lookup func(string) (string, bool) // what ${...} expands to
	place  func(*yaml.Node) Place      // of a node of the present source
	dir    string                      // relative paths of the present source start here; "" is the working directory
	layer  int                         // the present source's rank

	problems []Problem
	places   map[string]Place // by path: where it was set last
	visited  int
}

// NewDecoder makes a decoder whose values may name variables, which lookup knows. Without lookup every value is literal.
func NewDecoder(lookup func(name string) (string, bool)) *Decoder {
	return &Decoder{lookup: lookup, places: map[string]Place{}, MaxValues: defaultMaxValues}
}

// Setting is one key set from outside the file.
type Setting struct {
	Path   string // such as log.level
	Value  string // as text; lists with commas
	Source string // for messages, such as --log-level
}

// File applies the YAML text to the struct that into points to. It wins over earlier sources. Relative paths start at the
// directory of the named file.
func (d *Decoder) File(text []byte, name string, into any) {
	d.layer, d.dir = d.layer+1, ""
	layer := d.layer
	if name != "" {
		d.dir = filepath.Dir(name)
	}
	d.place = func(n *yaml.Node) Place { return Place{Source: name, Line: n.Line, Column: n.Column, layer: layer} }
	var document, second yaml.Node
	dec := yaml.NewDecoder(bytes.NewReader(text))
	err := dec.Decode(&document)
	if errors.Is(err, io.EOF) {
		return // only comments
	}
	if err == nil {
		if err = dec.Decode(&second); err == nil {
			d.fail(&second, "", "a second document: keep one, without --- between keys")
		}
	}
	if err != nil && !errors.Is(err, io.EOF) {
		d.problems = append(d.problems, syntaxProblem(err, text, Place{Source: name, layer: layer}))
		return
	}
	d.value(document.Content[0], reflect.ValueOf(into).Elem(), "", Rules{})
}

// Settings applies settings from outside a file to the struct that into points to.
func (d *Decoder) Settings(list []Setting, into any) {
	d.layer, d.dir = d.layer+1, ""
	layer := d.layer
	for _, s := range list {
		d.place = func(*yaml.Node) Place { return Place{Source: s.Source, layer: layer} }
		node := &yaml.Node{Kind: yaml.ScalarNode, Tag: textTag, Value: s.Value}
		for _, k := range slices.Backward(strings.Split(s.Path, ".")) {
			key := &yaml.Node{Kind: yaml.ScalarNode, Tag: "!!str", Value: k}
			node = &yaml.Node{Kind: yaml.MappingNode, Content: []*yaml.Node{key, node}}
		}
		d.value(node, reflect.ValueOf(into).Elem(), "", Rules{})
	}
}

// IsSet reports whether a source has set the key of that path.
func (d *Decoder) IsSet(path string) bool {
	_, ok := d.places[path]
	return ok
}

// Report adds problems of the values together, except where the value, or the section that lacks it, is already known to be
// wrong. file is the place of what no source has set. It adds nothing when a source was too large to be read whole.
func (d *Decoder) Report(problems []Problem, file string) {
	if d.visited > d.MaxValues {
		return
	}
	wrong, wrongPlace := map[string]bool{}, map[Place]bool{}
	for _, p := range d.problems {
		wrong[p.Path], wrongPlace[p.Place] = true, true
	}
	for _, p := range problems {
		if p.Place = d.PlaceOf(p.Path, file); !wrong[p.Path] && !wrongPlace[p.Place] {
			d.problems = append(d.problems, p)
		}
	}
}

// Err returns all problems as an *[Error]; nil if there are none.
func (d *Decoder) Err() error { return NewError(d.problems) }

// PlaceOf is where a path was set, or else the nearest section around it, or else the file.
func (d *Decoder) PlaceOf(path, file string) Place {
	for path != "" {
		if place, ok := d.places[path]; ok {
			return place
		}
		path = path[:max(0, strings.LastIndexAny(path, ".["))]
	}
	return Place{Source: file}
}

func (d *Decoder) fail(n *yaml.Node, path, format string, args ...any) {
	d.problems = append(d.problems, Problem{Place: d.place(n), Path: path, Message: fmt.Sprintf(format, args...)})
}

// value sets v from n. On a problem v stays as it was.
func (d *Decoder) value(n *yaml.Node, v reflect.Value, path string, r Rules) {
	if d.visited++; d.visited > d.MaxValues {
		if d.visited == d.MaxValues+1 {
			d.fail(n, path, "more than %d values: the file is too large, or its aliases multiply", d.MaxValues)
		}
		return
	}
	if n.Kind == yaml.AliasNode {
		n = n.Alias
	}
	switch {
	case IsScalar(v.Type()):
		d.scalar(n, v, path, r)
	case n.Kind == yaml.ScalarNode && n.ShortTag() == "!!null": // a section or list whose keys are all commented out
	case v.Kind() == reflect.Pointer:
		v.Set(reflect.New(v.Type().Elem()))
		d.value(n, v.Elem(), path, r)
	case v.Kind() == reflect.Struct, v.Kind() == reflect.Map:
		d.mapping(n, v, path)
	case v.Kind() == reflect.Slice, v.Kind() == reflect.Array:
		d.list(n, v, path, r)
	default:
		d.fail(n, path, "cannot be configured")
	}
}

// mapping sets the fields of a struct or the elements of a map. Elements of an open map that exist already are changed, not
// replaced.
func (d *Decoder) mapping(n *yaml.Node, v reflect.Value, path string) {
	if n.Kind != yaml.MappingNode {
		d.fail(n, path, "expected keys and values, got %s", kindOf(n))
		return
	}
	open := v.Kind() == reflect.Map && !IsClosed(v.Type())
	var fields []Field
	if !open {
		fields = Fields(v)
	}
	for key, item := range d.pairs(n, path) {
		below := JoinPath(path, key.Value)
		at := slices.IndexFunc(fields, func(f Field) bool { return f.Name == key.Value })
		if !open && at < 0 {
			d.fail(key, path, "%s", unknown(key.Value, fields))
			continue
		}
		d.places[below] = d.place(item)
		if open {
			d.element(key.Value, item, v, below)
		} else {
			d.value(item, fields[at].Value, below, fields[at].Rules)
		}
	}
	d.resolveSecretFiles(fields, path)
	for _, f := range fields {
		if below := JoinPath(path, f.Name); f.Rules.Required && !d.IsSet(below) {
			d.fail(n, below, "is missing")
		}
	}
}

// pairs yields the keys and values of a mapping. It reports and skips duplicates and keys that are not scalars.
func (d *Decoder) pairs(n *yaml.Node, path string) func(yield func(key, item *yaml.Node) bool) {
	return func(yield func(key, item *yaml.Node) bool) {
		first := make(map[string]*yaml.Node, len(n.Content)/2)
		for i := 0; i+1 < len(n.Content); i += 2 {
			key, item := n.Content[i], n.Content[i+1]
			switch {
			case key.Kind != yaml.ScalarNode:
				d.fail(key, path, "a key must be a plain word")
			case key.ShortTag() == "!!merge":
				d.fail(key, path, "merge keys (<<) are not supported; write the keys out")
			case first[key.Value] != nil:
				d.fail(key, JoinPath(path, key.Value), "given twice, first on line %d; keep one", first[key.Value].Line)
			default:
				first[key.Value] = key
				if !yield(key, item) {
					return
				}
			}
		}
	}
}

// element sets an element of an open map.
func (d *Decoder) element(key string, n *yaml.Node, v reflect.Value, path string) {
	if v.IsNil() {
		v.Set(reflect.MakeMap(v.Type()))
	}
	name, elem := reflect.ValueOf(key), reflect.New(v.Type().Elem()).Elem()
	if old := v.MapIndex(name); old.IsValid() {
		elem.Set(old)
	}
	d.value(n, elem, path, Rules{})
	v.SetMapIndex(name, elem)
}

// list replaces a list. A text with a variable, or from outside a file, may separate elements by commas, also in brackets.
func (d *Decoder) list(n *yaml.Node, v reflect.Value, path string, r Rules) {
	items := n.Content
	switch {
	case n.Kind == yaml.ScalarNode && IsScalar(v.Type().Elem()) && (n.Tag == textTag || strings.Contains(n.Value, "${")):
		text, ok := d.expand(n, path)
		if !ok {
			return
		}
		items = nil
		for _, part := range splitList(withoutBrackets(text), ",") {
			items = append(items, &yaml.Node{Kind: yaml.ScalarNode, Tag: textTag, Value: part, Line: n.Line, Column: n.Column})
		}
	case n.Kind != yaml.SequenceNode:
		d.fail(n, path, "expected a list, got %s", kindOf(n))
		return
	}
	list := v
	if v.Kind() == reflect.Slice {
		list = reflect.MakeSlice(v.Type(), len(items), len(items))
	} else if len(items) != v.Len() {
		d.fail(n, path, "expected a list of %d values", v.Len())
		return
	}
	for i, item := range items {
		below := path + "[" + strconv.Itoa(i) + "]"
		d.places[below] = d.place(item)
		setDefaults(list.Index(i))
		d.value(item, list.Index(i), below, r)
	}
	v.Set(list)
}

func withoutBrackets(s string) string {
	if inner, open := strings.CutPrefix(s, "["); open && strings.HasSuffix(inner, "]") {
		return strings.TrimSuffix(inner, "]")
	}
	return s
}

// unknown is the message about an unknown key of a section.
func unknown(key string, fields []Field) string {
	text := fmt.Sprintf("unknown key %q", key)
	known := make([]string, len(fields))
	for i, f := range fields {
		known[i] = f.Name
	}
	if best := nearestWord(key, known); best != "" {
		return text + fmt.Sprintf("; did you mean %q?", best)
	}
	const listed = 40 // longer lists are not printed
	if len(known) == 0 || len(known) > listed {
		return text + "; remove it"
	}
	return text + "; known here: " + strings.Join(known, ", ")
}

// kindOf names a node's kind in messages.
func kindOf(n *yaml.Node) string {
	switch n.Kind {
	case yaml.MappingNode:
		return "keys and values"
	case yaml.SequenceNode:
		return "a list"
	default:
		return "one value"
	}
}
