package strictyaml

import (
	"bytes"
	"errors"
	"io"
	"path/filepath"
	"reflect"
	"slices"
	"strings"

	"go.yaml.in/yaml/v3"
)

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
	d.place = func(n *yaml.Node) Place {
		return Place{Source: name, Line: n.Line, Column: n.Column, layer: layer}
	}
	var document, second yaml.Node
	dec := yaml.NewDecoder(bytes.NewReader(text))
	err := dec.Decode(&document)
	if errors.Is(err, io.EOF) {
		return // only comments
	}
	if err == nil {
		if err = dec.Decode(&second); errors.Is(err, io.EOF) {
			err = nil
		} else if err == nil {
			d.fail(&second, "", "a second document: keep one, without --- between keys")
		}
	}
	if err != nil {
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
		keys := strings.Split(s.Path, ".")
		for _, k := range slices.Backward(keys) {
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
