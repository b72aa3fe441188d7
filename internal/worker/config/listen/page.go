package listen

// Page are the settings of `confab ui`.
type Page struct {
	// The HTTP server.
	Settings `yaml:",inline"`
	// Number of flags that the page holds in memory, the last ones of llm.incidents: about 3 kB each, 256 MB at most.
	Flags int `yaml:"flags" min:"100" max:"100000"`
}

// DefaultPage are the defaults of ui.
func DefaultPage() Page { return Page{Settings: Settings{Listen: "127.0.0.1:9471"}, Flags: 20_000} }

// HintForKey implements [strictyaml.KeyHinter]: keys that were removed.
func (*Page) HintForKey(key string) string {
	switch key {
	case "store":
		return "the page holds flags in memory and has no file: ui.flags sets their number"
	case "max_body_size", "max_concurrent", "read_timeout":
		return "it is fixed: 64 KiB for a form, 64 requests at a time, 5 s to send one"
	}
	return ""
}
