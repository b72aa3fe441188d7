package app

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"path/filepath"
	"reflect"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"go.yaml.in/yaml/v3"

	"confab/internal/files"
)

// EnvPrefix starts the environment variables that set a key: CONFAB_KAFKA_SEED_BROKERS sets kafka.seed_brokers.
const EnvPrefix = "CONFAB_"

// maxFileBytes bounds a configuration file.
const maxFileBytes = 1 << 20

// The order of sources: a later one wins.
const (
	layerFile = iota + 1
	layerEnv
	layerFlags
)

// LoadOptions say where a configuration comes from.
type LoadOptions struct {
	File  string    // the YAML file; "" for none. Relative paths inside it start at its directory
	Env   []string  // as of os.Environ: CONFAB_ settings, and what ${VAR} expands to
	Flags []Setting // win over everything
}

// Setting is one key set from outside the file.
type Setting struct {
	Path   string // such as log.level
	Value  string // as text; lists with commas
	Source string // what the person wrote, such as --log-level
}

// Load reads a configuration: flags win over the environment, the environment over the file, the file over the
// defaults. The error is a *[ConfigError] with everything that is wrong, or the error of reading the file. Secrets
// named by *_file keys are read here.
func Load(o LoadOptions) (*Config, error) {
	var text []byte
	if o.File != "" {
		var err error
		if text, err = files.Read(o.File, maxFileBytes); errors.Is(err, fs.ErrNotExist) {
			return nil, configError([]Problem{{
				Place:   Place{Source: o.File},
				Message: "no such file: name another with --config, or write one with `confab config example > confab.yaml`",
			}})
		} else if err != nil {
			return nil, fmt.Errorf("read the configuration: %w", err)
		}
	}
	return load(text, o)
}

// load is Load with the file's text in hand.
func load(text []byte, o LoadOptions) (*Config, error) {
	env := variables(o.Env)
	cfg := DefaultConfig()
	d := &decoder{
		lookup: func(name string) (string, bool) { value, ok := env[name]; return value, ok },
		places: map[string]Place{},
	}
	d.file(text, o.File, cfg)
	d.settings(envSettings(cfg, env), layerEnv, cfg)
	d.settings(o.Flags, layerFlags, cfg)
	d.readFiles(reflect.ValueOf(cfg).Elem(), "")
	d.crossCheck(cfg, o.File)
	if err := configError(d.problems); err != nil {
		return nil, err
	}
	return cfg, nil
}

// file lays the YAML text over the configuration.
func (d *decoder) file(text []byte, name string, cfg *Config) {
	d.layer, d.dir = layerFile, ""
	if name != "" {
		d.dir = filepath.Dir(name)
	}
	d.place = func(n *yaml.Node) Place {
		return Place{Source: name, Line: n.Line, Column: n.Column, layer: layerFile}
	}
	var document, second yaml.Node
	dec := yaml.NewDecoder(bytes.NewReader(text))
	err := dec.Decode(&document)
	if errors.Is(err, io.EOF) {
		return // nothing but comments
	}
	if err == nil {
		if err = dec.Decode(&second); errors.Is(err, io.EOF) {
			err = nil
		} else if err == nil {
			d.fail(&second, "", "a second document: keep one, without --- between keys")
		}
	}
	if err != nil {
		d.problems = append(d.problems, syntaxProblem(err, name))
		return
	}
	d.value(document.Content[0], reflect.ValueOf(cfg).Elem(), "", rules{})
}

// settings lays settings from outside the file over the configuration.
func (d *decoder) settings(list []Setting, layer int, cfg *Config) {
	d.layer, d.dir = layer, ""
	for _, s := range list {
		d.place = func(*yaml.Node) Place { return Place{Source: s.Source, layer: layer} }
		node := &yaml.Node{Kind: yaml.ScalarNode, Tag: textTag, Value: s.Value}
		keys := strings.Split(s.Path, ".")
		for _, k := range slices.Backward(keys) {
			key := &yaml.Node{Kind: yaml.ScalarNode, Tag: "!!str", Value: k}
			node = &yaml.Node{Kind: yaml.MappingNode, Content: []*yaml.Node{key, node}}
		}
		d.value(node, reflect.ValueOf(cfg).Elem(), "", rules{})
	}
}

// crossCheck adds what is wrong with the settings together, except where one of them is already known to be wrong.
func (d *decoder) crossCheck(cfg *Config, file string) {
	wrong := map[string]bool{}
	for _, p := range d.problems {
		wrong[p.Path] = true
	}
	problems := cfg.check()
	if _, asked := d.places["sampling.rate"]; asked && cfg.Sampling.Rate > 0 && cfg.Sampling.Salt == "" {
		problems = append(problems, Problem{Path: "sampling.rate", Message: "sampling needs a secret key: set sampling.salt_file, or rate: 0"})
	}
	for _, p := range problems {
		if !wrong[p.Path] {
			p.Place = d.placeOf(p.Path, file)
			d.problems = append(d.problems, p)
		}
	}
}

// placeOf is where a path was set, or else the nearest section around it.
func (d *decoder) placeOf(path, file string) Place {
	for path != "" {
		if place, ok := d.places[path]; ok {
			return place
		}
		path = path[:max(0, strings.LastIndexAny(path, ".["))]
	}
	return Place{Source: file}
}

// variables are the environment as a map.
func variables(environ []string) map[string]string {
	env := make(map[string]string, len(environ))
	for _, entry := range environ {
		if name, value, ok := strings.Cut(entry, "="); ok {
			env[name] = value
		}
	}
	return env
}

// envSettings are the settings that the environment makes, in the order of the reference. Empty variables set nothing, and those
// that name no setting are left alone: an orchestrator adds some of its own, such as CONFAB_SERVICE_HOST.
func envSettings(cfg *Config, env map[string]string) []Setting {
	var list []Setting
	for _, s := range Reference(cfg) {
		if value := env[s.Env]; s.Env != "" && value != "" {
			list = append(list, Setting{Path: s.Path, Value: value, Source: "environment variable " + s.Env})
		}
	}
	return list
}

// syntaxProblem is the YAML library's complaint as a problem. An unknown anchor may be a secret that starts with a star.
func syntaxProblem(err error, file string) Problem {
	message := strings.TrimPrefix(err.Error(), "yaml: ")
	place := Place{Source: file, layer: layerFile}
	if m := regexp.MustCompile(`^line (\d+): `).FindStringSubmatch(message); m != nil {
		place.Line, _ = strconv.Atoi(m[1]) // digits by the pattern; an absurd number shows as the largest
		message = message[len(m[0]):]
	}
	switch {
	case strings.HasPrefix(message, "unknown anchor"):
		message = "unknown anchor: put a value that starts with * into quotes"
	case strings.HasPrefix(message, "did not find expected") && place.Line > 0:
		place.Line++ // the library's parser counts from 0, its scanner from 1
	}
	return Problem{Place: place, Message: "not YAML: " + message}
}
