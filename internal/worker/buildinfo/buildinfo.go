// Package buildinfo reports which build of the program runs.
package buildinfo

import (
	"runtime"
	"runtime/debug"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/collectors"
	"github.com/prometheus/client_golang/prometheus/promauto"
)

// version is set by the linker: -X confab/internal/worker/buildinfo.version=v1.2.3.
var version = ""

// Info describes the build.
type Info struct {
	Version  string `json:"version"`
	Revision string `json:"revision,omitempty"` // of the sources; "" outside a checkout
	Modified bool   `json:"modified,omitempty"` // the sources were changed after that revision
	Time     string `json:"time,omitempty"`     // of the revision, RFC 3339
	Go       string `json:"go"`
	Platform string `json:"platform"`
}

// Read returns the build information of the running program. Its version is that of the release, else "dev-" and the revision,
// else "dev".
func Read() Info {
	b := Info{Version: version, Go: runtime.Version(), Platform: runtime.GOOS + "/" + runtime.GOARCH}
	if info, ok := debug.ReadBuildInfo(); ok {
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
	}
	switch {
	case b.Version != "":
	case len(b.Revision) >= 12:
		b.Version = "dev-" + b.Revision[:12]
	default:
		b.Version = "dev"
	}
	return b
}

// Version is the version of the build.
func Version() string { return Read().Version }

// RegisterMetric registers the metric of the build.
func RegisterMetric(reg prometheus.Registerer) {
	promauto.With(reg).NewGaugeVec(prometheus.GaugeOpts{
		Name: "confab_build_info", Help: "Always 1; the labels say which build runs.",
	}, []string{"version"}).WithLabelValues(Version()).Set(1)
}

// NewRegistry returns a registry with the metrics of the Go runtime and of the process.
func NewRegistry() *prometheus.Registry {
	reg := prometheus.NewRegistry()
	reg.MustRegister(collectors.NewGoCollector(), collectors.NewProcessCollector(collectors.ProcessCollectorOpts{}))
	return reg
}
