package page

import (
	"time"

	"confab/internal/strictyaml"
	"confab/internal/worker/config/listen"
)

// Settings are those of the role ui.
type Settings struct {
	// The HTTP server.
	listen.Settings `yaml:",inline"`
	// Number of flags that the page holds in memory, the last ones of llm.incidents: about 3 kB each, 256 MB at most.
	Flags int `yaml:"flags" min:"100" max:"100000"`
}

// DefaultSettings are the defaults of ui.
func DefaultSettings() Settings {
	return Settings{
		Settings: listen.Settings{
			Listen: "127.0.0.1:9471", MaxBodySize: 64 * strictyaml.KiB, MaxConcurrent: 64, ReadTimeout: 10 * time.Second,
		},
		Flags: 20_000,
	}
}

// HintForKey implements [strictyaml.KeyHinter]: keys that were removed.
func (*Settings) HintForKey(key string) string {
	if key == "store" {
		return "the page holds flags in memory and has no file: ui.flags sets their number"
	}
	return ""
}
