package recordshape

import (
	"embed"
	"fmt"
	"path"
	"slices"
	"strings"

	"confab/internal/strictyaml"
)

//go:embed *.yaml
var files embed.FS

// Preset is the shape of a library's records.
type Preset struct {
	// One line about the records.
	Description string `yaml:"description"`
	// Entries of the map, as package mapspec parses them.
	Map map[string]string `yaml:"map"`
	// Conditions of the records that hold an answer.
	Where map[string][]string `yaml:"where"`
	// IANA name of the time zone of times without one.
	TimeZone string `yaml:"time_zone"`
}

// PresetNames returns the names of all presets in order.
func PresetNames() []string {
	entries, _ := files.ReadDir(".") // the root of an embedded file system is there
	var names []string
	for _, e := range entries {
		names = append(names, strings.TrimSuffix(e.Name(), path.Ext(e.Name())))
	}
	slices.Sort(names)
	return names
}

// FindPreset returns the preset with that name. The error lists the known names.
func FindPreset(name string) (*Preset, error) {
	if !slices.Contains(PresetNames(), name) {
		return nil, fmt.Errorf("unknown preset %q: known are %s", name, strings.Join(PresetNames(), ", "))
	}
	text, err := files.ReadFile(name + ".yaml")
	if err != nil {
		return nil, fmt.Errorf("read preset %s: %w", name, err)
	}
	var p Preset
	d := strictyaml.NewDecoder(func(string) (string, bool) { return "", false })
	d.File(text, name+".yaml", &p)
	if err := d.Err(); err != nil {
		return nil, fmt.Errorf("preset %s: %w", name, err)
	}
	return &p, nil
}
