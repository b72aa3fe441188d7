package reloading

import (
	"maps"
	"slices"
	"strings"

	"confab/internal/strictyaml"
	"confab/internal/worker/config"
)

// Hot returns the settings that change without a restart, with everything below them. * stands for one name.
func Hot() []string {
	return []string{
		"alerting.channel", "alerting.high", "alerting.min_risk", "alerting.muted", "alerting.preset",
		"alerting.threshold", "alerting.weights", "calibration_file", "detectors", "flags", "limits", "log.level", "model_file",
		"recommendation", "schemas_dir", "skip_operations", "tenants.*.action", "tenants.*.alerting", "tenants.*.limits",
		"tenants.*.recommendation",
	}
}

// merge returns running with the hot settings of loaded, the paths of those that differ, and the paths of the other
// differences, which need a restart.
func merge(running, loaded *config.Config) (next *config.Config, applied, cold []string, err error) {
	before, err := flatten(running)
	if err != nil {
		return nil, nil, nil, err
	}
	after, err := flatten(loaded)
	if err != nil {
		return nil, nil, nil, err
	}
	paths := map[string]bool{}
	for _, side := range []map[string]string{before, after} {
		for path := range side {
			if before[path] != after[path] {
				paths[path] = true
			}
		}
	}
	for _, path := range slices.Sorted(maps.Keys(paths)) {
		if isHot(path) {
			applied = append(applied, path)
		} else {
			cold = append(cold, path)
		}
	}
	n := *running
	n.Alerting.RuleOptions = loaded.Alerting.RuleOptions
	n.CalibrationFile, n.ModelFile, n.SchemasDir = loaded.CalibrationFile, loaded.ModelFile, loaded.SchemasDir
	n.Detectors, n.Flags, n.Limits, n.SkipOperations = loaded.Detectors, loaded.Flags, loaded.Limits, loaded.SkipOperations
	n.Log.Level, n.Recommendation, n.Tenants = loaded.Log.Level, loaded.Recommendation, loaded.Tenants
	return &n, applied, cold, nil
}

func isHot(path string) bool {
	parts := strings.Split(path, ".")
	return slices.ContainsFunc(Hot(), func(h string) bool {
		want := strings.Split(h, ".")
		if len(parts) < len(want) {
			return false
		}
		for i := range want {
			if want[i] != "*" && want[i] != parts[i] {
				return false
			}
		}
		return true
	})
}

// flatten returns the settings as texts by their paths. Secrets are masked.
func flatten(c *config.Config) (map[string]string, error) {
	text, err := c.YAML()
	if err != nil {
		return nil, err
	}
	return strictyaml.Flatten(text)
}
