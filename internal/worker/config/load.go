package config

import (
	_ "embed"
	"errors"
	"fmt"
	"io/fs"
	"slices"
	"strings"

	"confab/internal/files"
	"confab/internal/strictyaml"
)

// EnvPrefix starts the environment variables that set a key: CONFAB_KAFKA_SEED_BROKERS sets kafka.seed_brokers.
const EnvPrefix = "CONFAB_"

// maxFileBytes bounds a configuration file.
const maxFileBytes = 1 << 20

// LoadOptions say where a configuration comes from.
type LoadOptions struct {
	File  string               // the YAML file; "" for none. Relative paths in it start at its directory
	Env   []string             // as of os.Environ: CONFAB_ settings and the values of ${VAR}
	Flags []strictyaml.Setting // win over all other sources
}

// Load reads a configuration: flags win over the environment, the environment over the file, the file over the
// defaults. It reads the secrets that *_file keys name. The error is a *[strictyaml.Error] with all problems, or the
// error of reading the file.
func Load(o LoadOptions) (*Config, error) {
	var text []byte
	if o.File != "" {
		var err error
		if text, err = files.Read(o.File, maxFileBytes); errors.Is(err, fs.ErrNotExist) {
			return nil, strictyaml.NewError([]strictyaml.Problem{{
				Place:   strictyaml.Place{Source: o.File},
				Message: "no such file: name another with --config, or write one with `confab config example > confab.yaml`",
			}})
		} else if err != nil {
			return nil, fmt.Errorf("read configuration: %w", err)
		}
	}
	return loadText(text, o)
}

// loadText is Load with the file's text.
func loadText(text []byte, o LoadOptions) (*Config, error) {
	env := variables(o.Env)
	cfg := Default()
	d := strictyaml.NewDecoder(func(name string) (string, bool) { value, ok := env[name]; return value, ok })
	d.File(text, o.File, cfg)
	d.Settings(envSettings(cfg, env), cfg)
	d.Settings(o.Flags, cfg)
	for _, key := range []string{"admin.listen", "ui.listen"} {
		if !d.IsSet(key) {
			cfg.Unset = append(cfg.Unset, key)
		}
	}
	d.ReadFiles(cfg)
	d.Report(append(cfg.loadMaps(), cfg.check()...), o.File)
	if err := d.Err(); err != nil {
		return nil, err
	}
	return cfg, nil
}

// loadMaps reads the map files of inputs.
func (c *Config) loadMaps() (problems []strictyaml.Problem) {
	for i := range c.Kafka.Inputs {
		if err := c.Kafka.Inputs[i].LoadMap(); err != nil {
			problems = append(problems, strictyaml.Problem{Path: fmt.Sprintf("kafka.inputs[%d].map_file", i), Message: err.Error()})
		}
	}
	return problems
}

// Reference are all keys of the configuration with the values of cfg as their defaults.
func Reference(cfg *Config) []strictyaml.Entry { return strictyaml.Reference(cfg, EnvPrefix) }

func variables(environ []string) map[string]string {
	env := make(map[string]string, len(environ))
	for _, entry := range environ {
		if name, value, ok := strings.Cut(entry, "="); ok {
			env[name] = value
		}
	}
	return env
}

// envSettings are the settings of the environment, in the order of the reference. Empty variables set nothing. Unknown
// names are ignored: an orchestrator adds its own, such as CONFAB_SERVICE_HOST.
func envSettings(cfg *Config, env map[string]string) []strictyaml.Setting {
	var list []strictyaml.Setting
	for _, s := range Reference(cfg) {
		if value := env[s.Env]; s.Env != "" && value != "" {
			list = append(list, strictyaml.Setting{Path: s.Path, Value: value, Source: "environment variable " + s.Env})
		}
	}
	return list
}

//go:embed confab.schema.json
var jsonSchema []byte

//go:embed example.yaml
var example []byte

//go:embed minimal.yaml
var minimal []byte

// JSONSchema is the JSON Schema (draft 2020-12) of the configuration file. A test generates it from [Config].
func JSONSchema() []byte { return slices.Clone(jsonSchema) }

// Example is a commented configuration file to start from. It loads without any environment.
func Example() []byte { return slices.Clone(example) }

// MinimalExample is the smallest useful configuration file: one broker, alerts on standard output.
func MinimalExample() []byte { return slices.Clone(minimal) }
