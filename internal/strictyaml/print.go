package strictyaml

import (
	"bytes"
	"encoding"
	"fmt"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"time"

	"go.yaml.in/yaml/v3"
)

// Encode writes the struct that v points to as a file that decodes to the same values, with all secrets masked. mask
// returns the text to print for a text key.
func Encode(v any, mask func(key, text string) string) ([]byte, error) {
	var out bytes.Buffer
	enc := yaml.NewEncoder(&out)
	enc.SetIndent(2)
	p := nodeEncoder{mask}
	if err := enc.Encode(p.node(reflect.ValueOf(v).Elem())); err != nil {
		return nil, fmt.Errorf("print the configuration: %w", err)
	}
	return out.Bytes(), nil
}

// nodeEncoder converts values to YAML nodes.
type nodeEncoder struct{ mask func(key, text string) string }

// node is v as YAML, nil if it is not set.
func (p nodeEncoder) node(v reflect.Value) *yaml.Node {
	switch {
	case v.Kind() == reflect.Pointer && v.IsNil():
		return nil
	case IsScalar(v.Type()):
		return scalarNode(v)
	case v.Kind() == reflect.Pointer || v.Kind() == reflect.Interface:
		return p.node(v.Elem())
	case v.Kind() == reflect.Slice:
		list := &yaml.Node{Kind: yaml.SequenceNode, Tag: "!!seq"}
		if IsScalar(v.Type().Elem()) {
			list.Style = yaml.FlowStyle
		}
		for i := range v.Len() {
			list.Content = append(list.Content, p.node(v.Index(i)))
		}
		return list
	}
	return p.mappingNode(v)
}

// mappingNode is a struct or a map as YAML. Of a secret that was read from a file, only the file key is printed; texts go
// through mask.
func (p nodeEncoder) mappingNode(v reflect.Value) *yaml.Node {
	mapping := &yaml.Node{Kind: yaml.MappingNode, Tag: "!!map"}
	add := func(key string, value *yaml.Node) {
		if value != nil {
			mapping.Content = append(mapping.Content, &yaml.Node{Kind: yaml.ScalarNode, Tag: "!!str", Value: key}, value)
		}
	}
	if v.Kind() == reflect.Map {
		for _, key := range sortedKeys(v) {
			add(key, p.node(v.MapIndex(reflect.ValueOf(key))))
		}
		return mapping
	}
	fields := Fields(v)
	for _, f := range fields {
		if file, ok := fileOf(f, fields); ok && file.Value.String() != "" {
			continue
		}
		if f.Value.Type() == reflect.TypeFor[string]() {
			f.Value = reflect.ValueOf(p.mask(f.Name, f.Value.String()))
		}
		add(f.Name, p.node(f.Value))
	}
	return mapping
}

func scalarNode(v reflect.Value) *yaml.Node {
	n := &yaml.Node{Kind: yaml.ScalarNode, Value: ScalarText(v)}
	if v.Kind() == reflect.String {
		if strings.Contains(n.Value, "${") || strings.Contains(n.Value, "$$") {
			n.Value = strings.ReplaceAll(n.Value, "$", "$$") // not to be expanded when it loads again
		}
		n.SetString(n.Value)
	}
	return n
}

// ScalarText is a scalar in the notation of the file; a secret shows its mask.
func ScalarText(v reflect.Value) string {
	if v.Kind() == reflect.Pointer {
		v = v.Elem()
	}
	switch s := v.Interface().(type) {
	case time.Duration:
		return durationText(s)
	case encoding.TextMarshaler:
		if text, err := s.MarshalText(); err == nil {
			return string(text)
		}
	case fmt.Stringer:
		return s.String()
	}
	switch {
	case v.CanFloat():
		return strconv.FormatFloat(v.Float(), 'g', -1, v.Type().Bits())
	default:
		return fmt.Sprint(v.Interface())
	}
}

// durationText is a duration without the zero units that its String adds: 1m, not 1m0s.
func durationText(d time.Duration) string {
	text := d.String()
	for _, zero := range []string{"m0s", "h0m"} {
		if strings.HasSuffix(text, zero) {
			text = text[:len(text)-2]
		}
	}
	return text
}

func sortedKeys(m reflect.Value) []string {
	keys := make([]string, 0, m.Len())
	for _, k := range m.MapKeys() {
		keys = append(keys, k.String())
	}
	slices.Sort(keys)
	return keys
}

// Flatten returns the settings of a document as texts by their paths. A list is one setting. Settings that say nothing, such
// as false and 0, are left out: an unset setting of a section that only one document has is no difference.
func Flatten(text []byte) (map[string]string, error) {
	var root map[string]any
	if err := yaml.Unmarshal(text, &root); err != nil {
		return nil, fmt.Errorf("read settings: %w", err)
	}
	flat := map[string]string{}
	addPaths(flat, "", root)
	return flat, nil
}

func addPaths(flat map[string]string, path string, v any) {
	if section, ok := v.(map[string]any); ok {
		for key, below := range section {
			addPaths(flat, JoinPath(path, key), below)
		}
	} else if text := fmt.Sprint(v); !slices.Contains([]string{"", "false", "0", "0s", "[]", "<nil>"}, text) {
		flat[path] = text
	}
}
