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
	// The file that holds what the page shows.
	Store Store `yaml:"store"`
}

// Store is the database file of the page. It is rebuilt from the topics when it is lost.
type Store struct {
	// The file. Its folder is created. One process at a time has it open.
	Path string `yaml:"path"`
	// Maximum number of flags. The oldest ones go first.
	MaxIncidents int `yaml:"max_incidents" min:"100" max:"10000000"`
	// Maximum size of their records. The file may be up to twice as large.
	MaxSize strictyaml.Bytes `yaml:"max_size" min:"1MiB" max:"64GiB"`
	// Maximum age of flags and of counts in trends.
	MaxAge time.Duration `yaml:"max_age" min:"1h" max:"8760h"`
}

// DefaultSettings are the defaults of ui.
func DefaultSettings() Settings {
	return Settings{
		Settings: listen.Settings{
			Listen: "127.0.0.1:9471", MaxBodySize: 64 * strictyaml.KiB, MaxConcurrent: 64, ReadTimeout: 10 * time.Second,
		},
		Store: Store{Path: "confab-ui.db", MaxIncidents: 100_000, MaxSize: strictyaml.GiB, MaxAge: 30 * 24 * time.Hour},
	}
}

// Check reports problems between the settings to fail, each at a path below them. isLoopback says whether the address is
// reached from this machine only.
func (s *Settings) Check(isLoopback bool, fail func(at, format string, args ...any)) {
	s.Settings.Check(isLoopback, fail)
	if s.Store.Path == "" {
		fail(".store.path", "is empty: name a file, such as /var/lib/confab/ui.db")
	}
}
