package worker

import (
	"maps"
	"slices"

	"confab/internal/strictyaml"
	"confab/internal/worker/config"
)

// merge returns running with the settings of loaded that change without a restart, the paths of those that differ, and the
// paths of the other differences, which need a restart.
func merge(running, loaded *config.Config) (next *config.Config, applied, cold []string, err error) {
	n := *running
	n.Alerting.RuleOptions = loaded.Alerting.RuleOptions
	n.CalibrationFile, n.ModelFile, n.SchemasDir = loaded.CalibrationFile, loaded.ModelFile, loaded.SchemasDir
	n.Detectors, n.Flags, n.Limits, n.SkipOperations = loaded.Detectors, loaded.Flags, loaded.Limits, loaded.SkipOperations
	n.Log.Level, n.Recommendation, n.Tenants = loaded.Log.Level, loaded.Recommendation, map[string]config.Tenant{}
	for name, t := range loaded.Tenants {
		old := running.Tenants[name]
		t.LLM, t.Rewrite, t.Serve = old.LLM, old.Rewrite, old.Serve
		n.Tenants[name] = t
	}
	if applied, err = differences(running, &n); err != nil {
		return nil, nil, nil, err
	}
	cold, err = differences(&n, loaded)
	return &n, applied, cold, err
}

// differences are the paths of the settings that differ.
func differences(a, b *config.Config) ([]string, error) {
	before, err := flatten(a)
	if err != nil {
		return nil, err
	}
	after, err := flatten(b)
	if err != nil {
		return nil, err
	}
	paths := maps.Clone(before)
	maps.Copy(paths, after)
	maps.DeleteFunc(paths, func(path, _ string) bool { return before[path] == after[path] })
	return slices.Sorted(maps.Keys(paths)), nil
}

// flatten returns the settings as texts by their paths. Secrets are masked.
func flatten(c *config.Config) (map[string]string, error) {
	text, err := c.YAML()
	if err != nil {
		return nil, err
	}
	return strictyaml.Flatten(text)
}
