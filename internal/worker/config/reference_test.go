package config

import (
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"maps"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"confab/internal/golden"
	"confab/internal/strictyaml"
	"confab/internal/worker/recordshape"
	records "confab/schemas/json"
)

// repository is the root of the module, seen from this package.
const repository = "../../.."

// fieldComments are the comments of struct fields in the packages that declare options, by "package.type.field".
func fieldComments(t *testing.T) map[string]string {
	t.Helper()
	texts := map[string]string{}
	addPackage(t, texts, ".", reflect.TypeFor[Config]().PkgPath())
	for _, tree := range []string{"alerting", "detectors", "sampling", "internal/worker/export", "internal/httpclient"} {
		require.NoError(t, filepath.WalkDir(filepath.Join(repository, tree), func(dir string, entry fs.DirEntry, err error) error {
			if err == nil && entry.IsDir() {
				rel, _ := filepath.Rel(repository, dir)
				addPackage(t, texts, dir, "confab/"+filepath.ToSlash(rel))
			}
			return err
		}))
	}
	return texts
}

func addPackage(t *testing.T, texts map[string]string, dir, pkg string) {
	t.Helper()
	files, err := filepath.Glob(filepath.Join(dir, "*.go"))
	require.NoError(t, err)
	for _, name := range files {
		if strings.HasSuffix(name, "_test.go") {
			continue
		}
		file, err := parser.ParseFile(token.NewFileSet(), name, nil, parser.ParseComments|parser.SkipObjectResolution)
		require.NoError(t, err)
		ast.Inspect(file, func(n ast.Node) bool {
			if spec, ok := n.(*ast.TypeSpec); ok {
				if s, ok := spec.Type.(*ast.StructType); ok {
					addComments(texts, pkg+"."+spec.Name.Name, s)
				}
			}
			return true
		})
	}
}

func addComments(texts map[string]string, owner string, s *ast.StructType) {
	for _, f := range s.Fields.List {
		for _, name := range f.Names {
			text := f.Doc.Text()
			if text == "" {
				text = f.Comment.Text()
			}
			texts[owner+"."+name.Name] = strings.Join(strings.Fields(text), " ")
		}
	}
}

// fieldComment is the comment of an entry's field, its Go name at the start replaced by the key.
func fieldComment(texts map[string]string, f strictyaml.Field) string {
	text := texts[f.Owner.PkgPath()+"."+f.Owner.Name()+"."+f.GoName]
	if rest, ok := strings.CutPrefix(text, f.GoName+" "); ok {
		text = "`" + f.Name + "` " + rest
	}
	return text
}

const referenceHead = `# Configuration reference

<!-- Generated from the comments of the Config structs by ` + "`go test ./internal/worker/config -run TestReference -update`" + `. Do not edit. -->

` + "`confab.yaml`" + ` is strict: an unknown key, a wrong type, a missing variable or a missing secret file is an error with file, line and
column, and all are reported at once. ` + "`confab config validate`" + ` reports them, ` + "`confab config print`" + ` shows what is in
force with secrets masked, ` + "`confab config example`" + ` prints a file to start from and ` + "`confab config schema`" + ` the JSON Schema for editors.

- **Precedence**: flags > environment > file > defaults. Maps are merged key by key, lists are replaced.
- **File**: ` + "`--config`" + `, else ` + "`$CONFAB_CONFIG`" + `, else ` + "`confab.yaml`" + ` in the working directory where it exists. Relative paths inside the file
  start at the file's directory.
- **Environment**: ` + "`${VAR}`" + ` and ` + "`${VAR:-default}`" + ` expand in scalar values after parsing, so a value cannot inject YAML; ` + "`$$`" + ` is a dollar
  sign. A list may be one variable with commas: ` + "`seed_brokers: ${BROKERS}`" + `. Besides, every single value and every list of single values
  below has a variable of its own: ` + "`CONFAB_`" + ` and the path in capitals with underscores, such as ` + "`CONFAB_KAFKA_SEED_BROKERS=a:9092,b:9092`" + `.
  Variables that are empty or that name no key are ignored.
- **Flags**: ` + "`--set key=value`" + ` sets any of them, ` + "`--set alerting.weights.schema=2`" + ` included.
- **Secrets**: every secret has a ` + "`*_file`" + ` key, which names a file that is read at start, without its trailing newline. Set one of the two.
- **Durations** carry a unit (` + "`30s`" + `, ` + "`500ms`" + `, ` + "`1h30m`" + `); **sizes** are numbers of bytes or carry one (` + "`1MiB`" + `, ` + "`512KiB`" + `, ` + "`10MB`" + `).
- ` + "`<name>`" + ` stands for names that you choose, ` + "`[]`" + ` for the elements of a list.
- Sections with the same keys are described once; the others name them and refer there. Their defaults are the same; for a tenant, what is
  unset is inherited.
`

// sharedSections are the sections whose keys, two or more, are all declared by fields of an earlier section: that one by each. A
// section without a row, as that of a detector, has nowhere to refer from.
func sharedSections(entries []strictyaml.Entry) map[string]string {
	fields, sections, rows := map[string][]string{}, []string{}, map[string]bool{}
	for _, e := range entries {
		rows[e.Path], rows[e.Path+"[]"], rows[e.Path+".<name>"] = true, true, true
		section := e.Path[:max(0, strings.LastIndex(e.Path, "."))]
		if fields[section] == nil {
			sections = append(sections, section)
		}
		fields[section] = append(fields[section], e.Field.Owner.String()+"."+e.Field.GoName)
	}
	shared := map[string]string{}
	for i, section := range sections {
		for _, earlier := range sections[:i] {
			other := func(field string) bool { return !slices.Contains(fields[earlier], field) }
			if shared[section] == "" && rows[section] && len(fields[section]) > 1 && !slices.ContainsFunc(fields[section], other) {
				shared[section] = earlier
			}
		}
	}
	return shared
}

// referenceTo names the section that describes the keys of the one at path, and the keys.
func referenceTo(entries []strictyaml.Entry, shared map[string]string, path string) string {
	for _, section := range []string{path, path + "[]", path + ".<name>"} {
		if earlier := shared[section]; earlier != "" {
			var keys []string
			for _, e := range entries {
				if key, ok := strings.CutPrefix(e.Path, section+"."); ok && !strings.Contains(key, ".") {
					keys = append(keys, "`"+key+"`")
				}
			}
			return fmt.Sprintf(" Keys as under `%s`: %s.", earlier, strings.Join(keys, ", "))
		}
	}
	return ""
}

// isBelow reports whether path is in one of the sections.
func isBelow(sections map[string]string, path string) bool {
	for section := range sections {
		if strings.HasPrefix(path, section+".") {
			return true
		}
	}
	return false
}

// The reference is generated from the structs, their tags, their comments and the defaults: the single keys of the top level
// first, then the sections. The keys that sections share are described once.
func TestReference(t *testing.T) {
	const table = "\n| key | takes | default | |\n|---|---|---|---|\n"
	texts := fieldComments(t)
	var top, sections strings.Builder
	entries := Reference(Default())
	shared := sharedSections(entries)
	for _, e := range entries {
		if isBelow(shared, e.Path) {
			continue
		}
		text, kind, standard := fieldComment(texts, e.Field), typeName(e.Field.Value.Type(), e.Field.Rules), ""
		if k := e.Field.Value.Kind(); k != reflect.Struct && k != reflect.Map {
			standard = defaultText(e.Field.Value)
		}
		require.NotEmpty(t, text, "%s has no comment: %s.%s", e.Path, e.Field.Owner, e.Field.GoName)
		text += referenceTo(entries, shared, e.Path)
		row := fmt.Sprintf("| `%s` | %s | %s | %s |\n", e.Path, kind, codeText(standard), strings.ReplaceAll(text, "|", "\\|"))
		switch nested := strings.Contains(e.Path, "."); {
		case !nested && kind == "section":
			fmt.Fprintf(&sections, "\n## %s\n%s\n%s", e.Path, text, table)
		case nested:
			sections.WriteString(row)
		default:
			top.WriteString(row)
		}
	}
	doc := referenceHead + "\n## Top level\n" + table + top.String() + sections.String()
	golden.Equal(t, repository+"/docs/configuration.md", doc)
}

func codeText(text string) string {
	if text == "" {
		return ""
	}
	return "`" + text + "`"
}

// typeName describes the values of a key.
func typeName(t reflect.Type, r strictyaml.Rules) string {
	switch {
	case strictyaml.IsScalar(t) && len(r.Enum) > 0:
		return strings.Join(r.Enum, ", ")
	case strictyaml.IsSecret(t):
		return "secret"
	case strictyaml.IsScalar(t):
		name := strings.TrimSuffix(strings.SplitN(strictyaml.Expectation(t, strictyaml.Rules{}), " such", 2)[0], " with its unit,")
		return strings.TrimSuffix(name, ",") + formatLimits(r)
	case t.Kind() == reflect.Slice:
		return "list of " + typeName(t.Elem(), r)
	case t.Kind() == reflect.Map && (strictyaml.IsScalar(t.Elem()) || t.Elem().Kind() == reflect.Slice):
		return "name: " + typeName(t.Elem(), r)
	default:
		return "section"
	}
}

func formatLimits(r strictyaml.Rules) string {
	switch {
	case r.Min != "" && r.Max != "":
		return fmt.Sprintf(", %s to %s", r.Min, r.Max)
	case r.Min != "":
		return ", at least " + r.Min
	case r.Max != "":
		return ", at most " + r.Max
	default:
		return ""
	}
}

// defaultText is a default in the notation of the file, "" for an empty one.
func defaultText(v reflect.Value) string {
	switch {
	case v.Kind() == reflect.Pointer && v.IsNil(), v.Kind() == reflect.Map && v.Len() == 0:
		return ""
	case v.Kind() == reflect.Slice:
		parts := make([]string, v.Len())
		for i := range parts {
			parts[i] = defaultText(v.Index(i))
		}
		if len(parts) == 0 {
			return ""
		}
		return "[" + strings.Join(parts, ", ") + "]"
	case v.Kind() == reflect.Struct:
		var parts []string
		for _, f := range strictyaml.Fields(v) {
			if text := defaultText(f.Value); text != "" {
				parts = append(parts, f.Name+": "+text)
			}
		}
		return "{" + strings.Join(parts, ", ") + "}"
	default:
		return strictyaml.ScalarText(v)
	}
}

// jsonSchemaOf is the JSON Schema of v in a file.
func jsonSchemaOf(texts map[string]string, v reflect.Value, r strictyaml.Rules) map[string]any {
	t := v.Type()
	switch {
	case strictyaml.IsScalar(t):
		return scalarSchema(t, r)
	case t.Kind() == reflect.Slice:
		elem := reflect.New(t.Elem()).Elem()
		if input, ok := reflect.TypeAssert[*Input](elem.Addr()); ok {
			input.SetDefaults()
		}
		list := map[string]any{"type": []string{"array", "null"}, "items": jsonSchemaOf(texts, elem, r)}
		if strictyaml.IsScalar(t.Elem()) {
			return map[string]any{"anyOf": []any{list, referenceSchema()}}
		}
		return list
	case strictyaml.IsClosed(t):
		properties := map[string]any{}
		for _, key := range slices.Sorted(maps.Keys(v.Interface().(Detectors))) {
			properties[key] = jsonSchemaOf(texts, v.MapIndex(reflect.ValueOf(key)).Elem(), strictyaml.Rules{})
		}
		return objectSchema(properties)
	case t == reflect.TypeFor[FieldMap]():
		return map[string]any{
			"type":                 []string{"object", "null"},
			"propertyNames":        map[string]any{"pattern": `^(preset|interaction|request|response|` + strings.Join(records.FieldNames(), "|") + `|attributes\..+)$`},
			"properties":           map[string]any{"preset": map[string]any{"enum": recordshape.PresetNames()}},
			"additionalProperties": map[string]any{"type": "string", "pattern": `/|^none$|\bwhole$|\$\{`},
		}
	case t.Kind() == reflect.Map:
		return map[string]any{
			"type":                 []string{"object", "null"},
			"additionalProperties": jsonSchemaOf(texts, reflect.New(t.Elem()).Elem(), r),
		}
	}
	properties := map[string]any{}
	for _, f := range strictyaml.Fields(v) {
		if f.Value.Kind() == reflect.String && f.Value.String() == "" && len(f.Rules.Enum) > 0 && !slices.Contains(f.Rules.Enum, "") {
			f.Rules.Enum = append([]string{""}, f.Rules.Enum...) // the default, written down
		}
		s := jsonSchemaOf(texts, f.Value, f.Rules)
		s["description"] = fieldComment(texts, f)
		if text := defaultText(f.Value); text != "" && strictyaml.IsScalar(f.Value.Type()) {
			s["default"] = text
			if f.Value.CanInt() && !strictyaml.IsDuration(f.Value.Type()) && f.Value.Type() != reflect.TypeFor[strictyaml.Bytes]() {
				s["default"] = f.Value.Int()
			} else if f.Value.CanFloat() {
				s["default"] = f.Value.Float()
			} else if f.Value.Kind() == reflect.Bool {
				s["default"] = f.Value.Bool()
			}
		}
		properties[f.Name] = s
	}
	return objectSchema(properties)
}

func objectSchema(properties map[string]any) map[string]any {
	return map[string]any{"type": []string{"object", "null"}, "properties": properties, "additionalProperties": false}
}

func referenceSchema() map[string]any { return map[string]any{"$ref": "#/$defs/reference"} }

// scalarSchema is the schema of a scalar; ${VAR} may stand for any.
func scalarSchema(t reflect.Type, r strictyaml.Rules) map[string]any {
	for t.Kind() == reflect.Pointer {
		t = t.Elem()
	}
	var s map[string]any
	switch {
	case t == reflect.TypeFor[strictyaml.Bytes]():
		s = map[string]any{"type": []string{"integer", "string"}, "pattern": `^[0-9]+ *([KMG]iB|[kKMG]?B)?$`}
	case strictyaml.IsDuration(t):
		s = map[string]any{"type": "string", "pattern": `^([0-9]+(\.[0-9]+)?(ns|us|µs|ms|s|m|h))+$`}
	case len(r.Enum) > 0:
		s = map[string]any{"enum": r.Enum}
	case t.Kind() == reflect.String:
		return map[string]any{"type": []string{"string", "number"}}
	case t.Kind() == reflect.Bool:
		s = map[string]any{"type": "boolean"}
	case t.Kind() == reflect.Float64:
		s = withLimits(map[string]any{"type": "number"}, t, r)
	default:
		s = withLimits(map[string]any{"type": "integer"}, t, r)
	}
	return map[string]any{"anyOf": []any{s, referenceSchema()}}
}

// withLimits adds the limits of a number.
func withLimits(s map[string]any, t reflect.Type, r strictyaml.Rules) map[string]any {
	for key, text := range map[string]string{"minimum": r.Min, "maximum": r.Max} {
		if text == "" {
			continue
		}
		if n := strictyaml.Bound(reflect.New(t).Elem(), text); n.CanInt() {
			s[key] = n.Int()
		} else {
			s[key] = n.Float()
		}
	}
	return s
}
