package strictyaml

import (
	"fmt"
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
	// Removed says why a key is gone, by its path, in which * stands for any name or [].
	Removed   map[string]string
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
	empty := n.Kind == yaml.ScalarNode && n.ShortTag() == "!!null"
	switch {
	case IsScalar(v.Type()):
		d.scalar(n, v, path, r)
	case empty: // a section or list whose keys are all commented out
	case v.Kind() == reflect.Struct, IsClosed(v.Type()):
		d.mapping(n, v, path)
	default:
		d.composite(n, v, path, r)
	}
}

// composite sets a value that holds others of one type.
func (d *Decoder) composite(n *yaml.Node, v reflect.Value, path string, r Rules) {
	switch v.Kind() {
	case reflect.Map:
		d.mapOf(n, v, path, r)
	case reflect.Slice:
		d.list(n, v, path, r)
	case reflect.Array:
		d.array(n, v, path, r)
	case reflect.Pointer:
		v.Set(reflect.New(v.Type().Elem()))
		d.value(n, v.Elem(), path, r)
	default:
		d.fail(n, path, "cannot be configured")
	}
}

// mapping sets the fields of a struct, or the elements of a closed map.
func (d *Decoder) mapping(n *yaml.Node, v reflect.Value, path string) {
	fields := Fields(v)
	known := keyNames(fields)
	for key, item := range d.pairs(n, path) {
		at := slices.Index(known, key.Value)
		below := JoinPath(path, key.Value)
		if at < 0 {
			d.unknown(key, path, unknownField(key.Value, v, known))
			continue
		}
		d.places[below] = d.place(item)
		d.value(item, fields[at].Value, below, fields[at].Rules)
	}
	d.resolveSecretFiles(fields, path)
	for _, f := range fields {
		if below := JoinPath(path, f.Name); f.Rules.Required && n.Kind == yaml.MappingNode && !d.IsSet(below) {
			d.fail(n, below, "is missing")
		}
	}
}

// unknown reports an unknown key of the section at path: with the reason, if it was removed.
func (d *Decoder) unknown(key *yaml.Node, path, message string) {
	if reason := d.removedReason(JoinPath(path, key.Value)); reason != "" {
		message = fmt.Sprintf("the key %q was removed: %s", key.Value, reason)
	}
	d.fail(key, path, "%s", message)
}

// removedReason says why the key of a path is gone, by the pattern with the fewest *; "" for others.
func (d *Decoder) removedReason(path string) (why string) {
	names, stars := strings.Split(path, "."), len(path)
	for pattern, reason := range d.Removed {
		if n := strings.Count(pattern, "*"); n < stars && slices.EqualFunc(names, strings.Split(pattern, "."), func(name, p string) bool {
			return name == p || p == "*" || strings.HasSuffix(p, "[]") && strings.HasPrefix(name, strings.TrimSuffix(p, "]"))
		}) {
			why, stars = reason, n
		}
	}
	return why
}

// array sets an array from a list of the same length.
func (d *Decoder) array(n *yaml.Node, v reflect.Value, path string, r Rules) {
	if n.Kind != yaml.SequenceNode || len(n.Content) != v.Len() {
		d.fail(n, path, "expected a list of %d values", v.Len())
		return
	}
	for i, item := range n.Content {
		d.value(item, v.Index(i), path+"["+strconv.Itoa(i)+"]", r)
	}
}

// mapOf sets the elements of an open map. Elements that exist already are changed, not replaced.
func (d *Decoder) mapOf(n *yaml.Node, v reflect.Value, path string, r Rules) {
	for key, item := range d.pairs(n, path) {
		if v.IsNil() {
			v.Set(reflect.MakeMap(v.Type()))
		}
		below := JoinPath(path, key.Value)
		name, elem := reflect.ValueOf(key.Value), reflect.New(v.Type().Elem()).Elem()
		if old := v.MapIndex(name); old.IsValid() {
			elem.Set(old)
		}
		d.places[below] = d.place(item)
		d.value(item, elem, below, r)
		v.SetMapIndex(name, elem)
	}
}

// list replaces a list. A text with a variable, or from outside a file, may separate elements by commas.
func (d *Decoder) list(n *yaml.Node, v reflect.Value, path string, r Rules) {
	items := n.Content
	if n.Kind == yaml.ScalarNode && IsScalar(v.Type().Elem()) && (n.Tag == textTag || strings.Contains(n.Value, "${")) {
		text, ok := d.expandScalar(n, path)
		if !ok {
			return
		}
		items = nil
		for _, part := range splitList(text, ",") {
			items = append(items, &yaml.Node{Kind: yaml.ScalarNode, Tag: textTag, Value: part, Line: n.Line, Column: n.Column})
		}
	} else if n.Kind != yaml.SequenceNode {
		d.fail(n, path, "expected a list, got %s", kindOf(n))
		return
	}
	list := reflect.MakeSlice(v.Type(), len(items), len(items))
	for i, item := range items {
		below := path + "[" + strconv.Itoa(i) + "]"
		d.places[below] = d.place(item)
		setDefaults(list.Index(i))
		d.value(item, list.Index(i), below, r)
	}
	v.Set(list)
}

// pairs iterates over the keys and values of a mapping. It reports and skips duplicates and keys that are not scalars.
func (d *Decoder) pairs(n *yaml.Node, path string) func(yield func(key, item *yaml.Node) bool) {
	if n.Kind != yaml.MappingNode {
		d.fail(n, path, "expected keys and values, got %s", kindOf(n))
		return func(func(_, _ *yaml.Node) bool) {}
	}
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

// resolvePath makes the value of a file or directory key relative to the source's directory.
func (d *Decoder) resolvePath(path, text string) string {
	isPath := strings.HasSuffix(path, "_file") || strings.HasSuffix(path, "_dir")
	if !isPath || d.dir == "" || text == "" || filepath.IsAbs(text) {
		return text
	}
	return filepath.Join(d.dir, text)
}

// kindOf names a node's kind in messages.
func kindOf(n *yaml.Node) string {
	if n.Kind == yaml.MappingNode {
		return "keys and values"
	}
	if n.Kind == yaml.SequenceNode {
		return "a list"
	}
	if name, ok := scalarKinds[n.ShortTag()]; ok {
		return name
	}
	return "a value of another type"
}

var scalarKinds = map[string]string{ //nolint:gochecknoglobals // a read-only table
	"!!str": "text", "!!int": "a number", "!!float": "a number", "!!bool": "true or false",
	"!!null": "nothing", "!!timestamp": "a date", textTag: "text",
}
