package samples

import (
	"embed"
	"encoding/json"
	"reflect"
	"slices"
	"strings"
	"time"

	"confab/schemas"
)

// HostileTexts returns texts with mentions, links, formatting, hidden, reversed and overlong text: testdata/payloads.json,
// and invalid UTF-8, which a JSON file cannot hold.
func HostileTexts() []string {
	raw, err := payloadsFS.ReadFile("testdata/payloads.json")
	if err != nil {
		return nil
	}
	var entries []struct {
		Text  string `json:"text"`
		Times int    `json:"times"`
	}
	if err := json.Unmarshal(raw, &entries); err != nil {
		return nil
	}
	out := []string{"\x9b31mraw", "\xff\xfe<!channel>", "\xed\xa0\x80", "<!chan\xffnel>", "https:\xc0\xaf/evil.example"}
	for _, e := range entries {
		out = append(out, strings.Repeat(e.Text, max(1, e.Times)))
	}
	return out
}

//go:embed testdata/payloads.json
var payloadsFS embed.FS

// TextField is a field of an alert that holds untrusted text.
type TextField struct {
	Name string // its path
	Put  func(a *schemas.Alert, text string)
}

// TextFields returns all of them, found by their types. Those of the flag are in the riskiest flags, too.
func TextFields() []TextField {
	var out []TextField
	for _, path := range textPaths(reflect.TypeFor[schemas.Alert](), nil) {
		switch name := strings.Join(path, "."); {
		case name == "Kind", path[0] == "Flag", path[0] == "Riskiest", path[0] == "Feedback" && len(path) > 1 && path[1] != "User" && path[1] != "Comment" && path[1] != "Verdict":
		default:
			out = append(out, TextField{name, func(a *schemas.Alert, text string) { putText(reflect.ValueOf(a).Elem(), path, text) }})
		}
	}
	for _, f := range FlagTextFields() {
		out = append(out, TextField{"Flag." + f.Name, func(a *schemas.Alert, text string) {
			f.Put(&a.Flag, text)
			for i := range a.Riskiest {
				f.Put(&a.Riskiest[i], text)
			}
		}})
	}
	return out
}

// FlagTextField is a field of a flag that holds untrusted text.
type FlagTextField struct {
	Name string // its path
	Put  func(f *schemas.Flag, text string)
}

// FlagTextFields returns all of them, found by their types.
func FlagTextFields() []FlagTextField {
	var out []FlagTextField
	for _, path := range textPaths(reflect.TypeFor[schemas.Flag](), nil) {
		out = append(out, FlagTextField{strings.Join(path, "."), func(f *schemas.Flag, text string) { putText(reflect.ValueOf(f).Elem(), path, text) }})
	}
	return out
}

// textPaths returns the paths of all fields with text below a type.
func textPaths(t reflect.Type, path []string) (out [][]string) {
	switch t.Kind() {
	case reflect.String, reflect.Map:
		return [][]string{path}
	case reflect.Slice, reflect.Pointer:
		return textPaths(t.Elem(), path)
	case reflect.Struct:
		for f := range t.Fields() {
			if f.Type != reflect.TypeFor[time.Time]() {
				out = append(out, textPaths(f.Type, append(slices.Clip(path), f.Name))...)
			}
		}
		return out
	default: // numbers
		return nil
	}
}

// putText sets the text at a path, in every element of the slices on the way. What fired stays so.
func putText(v reflect.Value, path []string, text string) {
	switch v.Kind() {
	case reflect.String:
		if v.String() != string(schemas.Fired) {
			v.SetString(text)
		}
	case reflect.Map:
		v.Set(reflect.MakeMap(v.Type()))
		value := reflect.ValueOf(text)
		if v.Type().Elem().Kind() != reflect.String {
			value = reflect.ValueOf(0.5)
		}
		v.SetMapIndex(reflect.ValueOf(text), value)
	case reflect.Pointer:
		if v.IsNil() {
			v.Set(reflect.New(v.Type().Elem()))
		}
		putText(v.Elem(), path, text)
	case reflect.Slice:
		if v.Type().Elem().Kind() == reflect.String {
			v.Set(reflect.ValueOf([]string{text, "citation"}))
			return
		}
		for i := range v.Len() {
			putText(v.Index(i), path, text)
		}
	default:
		putText(v.FieldByName(path[0]), path[1:], text)
	}
}

// CloneAlert returns a copy of an alert that TextFields can modify.
func CloneAlert(a schemas.Alert) schemas.Alert {
	a.Flag = cloneFlag(a.Flag)
	a.Riskiest = append([]schemas.Flag(nil), a.Riskiest...)
	for i := range a.Riskiest {
		a.Riskiest[i] = cloneFlag(a.Riskiest[i])
	}
	a.Groups = append([]schemas.GroupCount(nil), a.Groups...)
	a.Feedback = append([]schemas.Feedback(nil), a.Feedback...)
	return a
}

func cloneFlag(f schemas.Flag) schemas.Flag {
	f.Signals = append([]schemas.Signal(nil), f.Signals...)
	for i := range f.Signals {
		f.Signals[i].Evidence = append([]schemas.Evidence(nil), f.Signals[i].Evidence...)
	}
	return f
}

// HostileFlag returns a flag with the payload in every text except its id.
func HostileFlag(p string) schemas.Flag {
	f := cloneFlag(Flag())
	for _, s := range FlagTextFields() {
		if s.Name != "IncidentID" {
			s.Put(&f, p)
		}
	}
	for len(f.Signals) < 7 {
		f.Signals = append(f.Signals, f.Signals[0])
	}
	return f
}
