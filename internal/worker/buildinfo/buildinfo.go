package buildinfo

import (
	"runtime"
	"runtime/debug"
)

// Info describes the build.
type Info struct {
	Version  string `json:"version"`
	Revision string `json:"revision,omitempty"` // of the sources; "" outside a checkout
	Modified bool   `json:"modified,omitempty"` // the sources were changed after that revision
	Time     string `json:"time,omitempty"`     // of the revision, RFC 3339
	Go       string `json:"go"`
	Platform string `json:"platform"`
}

// Read returns the build information of the running program.
func Read() Info {
	b := Info{Version: Version(), Go: runtime.Version(), Platform: runtime.GOOS + "/" + runtime.GOARCH}
	info, ok := debug.ReadBuildInfo()
	if !ok {
		return b
	}
	for _, s := range info.Settings {
		switch s.Key {
		case "vcs.revision":
			b.Revision = s.Value
		case "vcs.time":
			b.Time = s.Value
		case "vcs.modified":
			b.Modified = s.Value == "true"
		}
	}
	return b
}
