package strictyaml

import (
	"fmt"
	"slices"

	"go.yaml.in/yaml/v3"
)

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
	section, ok := v.(map[string]any)
	if !ok {
		if text := fmt.Sprint(v); !slices.Contains([]string{"", "false", "0", "0s", "[]", "<nil>"}, text) {
			flat[path] = text
		}
		return
	}
	for key, below := range section {
		addPaths(flat, JoinPath(path, key), below)
	}
}
