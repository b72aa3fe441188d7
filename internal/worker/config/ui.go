package config

import (
	"time"

	"confab/internal/strictyaml"
)

// UI holds the settings of the role ui.
type UI struct {
	// The HTTP server.
	Listener `yaml:",inline"`
	// The file that holds what the page shows.
	Store UIStore `yaml:"store"`
}

// UIStore is the database file of the page. It is rebuilt from the topics when it is lost.
type UIStore struct {
	// The file. Its folder is created. One process at a time has it open.
	Path string `yaml:"path"`
	// Maximum number of flags. The oldest ones go first.
	MaxIncidents int `yaml:"max_incidents" min:"100" max:"10000000"`
	// Maximum size of their records. The file may be up to twice as large.
	MaxSize strictyaml.Bytes `yaml:"max_size" min:"1MiB" max:"64GiB"`
	// Maximum age of flags and of counts in trends.
	MaxAge time.Duration `yaml:"max_age" min:"1h" max:"8760h"`
}

func defaultUI() UI {
	return UI{
		Listener: newListener("127.0.0.1:9471", 64*strictyaml.KiB),
		Store:    UIStore{Path: "confab-ui.db", MaxIncidents: 100_000, MaxSize: strictyaml.GiB, MaxAge: 30 * 24 * time.Hour},
	}
}

// page checks the settings of confab ui.
func (k *checker) page(s *UI) {
	k.listener("ui", &s.Listener)
	if s.Store.Path == "" {
		k.fail("ui.store.path", "is empty: name a file, such as /var/lib/confab/ui.db")
	}
}
