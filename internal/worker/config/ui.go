package config

import "confab/internal/strictyaml"

// UI holds the settings of `confab ui`.
type UI struct {
	// The HTTP server.
	Listener `yaml:",inline"`
	// Number of flags that the page holds in memory, the last ones of llm.incidents: about 3 kB each, 256 MB at most.
	Flags int `yaml:"flags" min:"100" max:"100000"`
}

func defaultUI() UI {
	return UI{Listener: newListener("127.0.0.1:9471", 64*strictyaml.KiB), Flags: 20_000}
}
