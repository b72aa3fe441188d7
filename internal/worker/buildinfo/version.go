package buildinfo

import "runtime/debug"

// version is set by the linker: -X confab/internal/worker/buildinfo.version=v1.2.3.
var version = ""

// Version is the release version, else "dev-" and the revision, else "dev".
func Version() string {
	if version != "" {
		return version
	}
	info, ok := debug.ReadBuildInfo()
	if !ok {
		return "dev"
	}
	for _, s := range info.Settings {
		if s.Key == "vcs.revision" && len(s.Value) >= 12 {
			return "dev-" + s.Value[:12]
		}
	}
	return "dev"
}
