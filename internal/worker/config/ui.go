package config

// UI holds the settings of `confab ui`.
type UI struct {
	// The HTTP server.
	Listener `yaml:",inline"`
	// Number of flags that the page holds in memory, the last ones of llm.incidents: about 3 kB each, 256 MB at most.
	Flags int `yaml:"flags" min:"100" max:"100000"`
}
