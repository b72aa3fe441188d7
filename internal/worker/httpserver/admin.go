package httpserver

import (
	"context"
	"encoding/json"
	"fmt"
	"log/slog"
	"net"
	"net/http"
	"net/http/pprof"
	"slices"
	"strings"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/promhttp"

	"confab/internal/worker/access"
	"confab/internal/worker/buildinfo"
	"confab/internal/worker/config"
)

// Check is one check of a probe. Its error has one line.
type Check struct {
	Name string
	Ask  func() error
	Note func() string // what is wrong although the check passes, in one line; nil or "" for nothing
}

// AdminOptions are the options of the admin server. Config and Gatherer are required.
type AdminOptions struct {
	Config   *config.Config
	Gatherer prometheus.Gatherer
	Live     []Check        // if one fails, /livez fails
	Ready    []Check        // if one fails, /readyz fails
	StopTime time.Duration  // for the requests in progress at the end
	Logger   *slog.Logger   // required with TLS
	Started  func(net.Addr) // called once it listens, with its address; may be nil
}

// adminWriteTimeout leaves time for scrapes and profiles.
const adminWriteTimeout = 2 * time.Minute

// ServeAdmin serves probes and metrics until ctx ends, then lets requests in progress finish for StopTime. With an empty
// address it waits for the end of ctx.
func ServeAdmin(ctx context.Context, o AdminOptions) error {
	address := o.Config.Admin.Listen
	if address == "" {
		<-ctx.Done()
		return nil
	}
	handler, err := AdminHandler(o)
	if err != nil {
		return err
	}
	secure, err := access.ServerTLS(&o.Config.Admin.TLS, o.Logger)
	if err != nil {
		return fmt.Errorf("admin.tls: %w", err)
	}
	if own := HostOf(address); config.IsLoopback(own) {
		handler = LocalHosts(own, handler)
	}
	return Serve(ctx, &Options{
		Name: "admin server", Address: address, Key: "admin.listen", AnyPort: o.Config.IsUnset("admin.listen"), Handler: handler, TLS: secure,
		WriteTimeout: adminWriteTimeout, StopTime: o.StopTime, Log: o.Logger, Started: o.Started,
	})
}

// AdminHandler makes the admin server's handler.
func AdminHandler(o AdminOptions) (http.Handler, error) {
	config, err := o.Config.YAML()
	if err != nil {
		return nil, err
	}
	version, err := json.Marshal(buildinfo.Read())
	if err != nil {
		return nil, fmt.Errorf("print the version: %w", err)
	}
	auth := o.Config.Admin.Auth()
	gate, err := access.NewGate(&auth)
	if err != nil {
		return nil, err
	}
	mux := http.NewServeMux()
	for pattern, h := range adminRoutes(o, config, version) {
		if !slices.Contains([]string{"GET /livez", "GET /healthz", "GET /readyz"}, pattern) { // the kubelet has no login
			h = requireLogin(gate, h, o.Logger)
		}
		mux.Handle(pattern, h)
	}
	return NoSniff(mux), nil
}

// requireLogin refuses requests without a valid proof.
func requireLogin(gate *access.Gate, next http.Handler, log *slog.Logger) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if _, err := gate.Authenticate(r); err != nil {
			http.Error(w, "send the token of admin.token as Authorization: Bearer TOKEN", gate.Refuse(w.Header(), r, log))
			return
		}
		next.ServeHTTP(w, r)
	})
}

// adminRoutes are the handlers by pattern.
func adminRoutes(o AdminOptions, config, version []byte) map[string]http.Handler {
	routes := map[string]http.Handler{
		"GET /livez":   probeHandler(o.Live),
		"GET /healthz": probeHandler(o.Live),
		"GET /readyz":  probeHandler(o.Ready),
		"GET /metrics": promhttp.HandlerFor(o.Gatherer, promhttp.HandlerOpts{EnableOpenMetrics: true}),
		"GET /version": staticHandler("application/json", append(version, '\n')),
		"GET /config":  staticHandler("application/yaml", config),
	}
	if o.Config.Admin.Pprof {
		routes["GET /debug/pprof/"] = http.HandlerFunc(pprof.Index)
		routes["GET /debug/pprof/cmdline"] = http.NotFoundHandler() // it would show the command line
		routes["GET /debug/pprof/profile"] = http.HandlerFunc(pprof.Profile)
		routes["GET /debug/pprof/symbol"] = http.HandlerFunc(pprof.Symbol)
		routes["GET /debug/pprof/trace"] = http.HandlerFunc(pprof.Trace)
	}
	return routes
}

// probeHandler responds 200 if every check passes and 503 otherwise, with a line per check if one fails or with ?verbose. Notes are
// always in the body.
func probeHandler(checks []Check) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		var lines strings.Builder
		failed, noted := false, false
		for _, c := range checks {
			note := ""
			if c.Note != nil {
				note = c.Note()
			}
			err := c.Ask()
			switch {
			case err != nil:
				failed = true
				fmt.Fprintf(&lines, "[-] %s: %s\n", c.Name, err)
			case note != "":
				noted = true
				fmt.Fprintf(&lines, "[!] %s: %s\n", c.Name, note)
			default:
				fmt.Fprintf(&lines, "[+] %s\n", c.Name)
			}
		}
		w.Header().Set("Content-Type", "text/plain; charset=utf-8")
		w.Header().Set("Cache-Control", "no-store")
		verdict := "ok\n"
		if failed {
			verdict = "failed\n"
			w.WriteHeader(http.StatusServiceUnavailable)
		}
		if failed || noted || r.URL.Query().Has("verbose") {
			verdict = lines.String() + verdict
		}
		_, _ = w.Write([]byte(verdict)) // the client has gone
	})
}

func staticHandler(contentType string, body []byte) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", contentType)
		_, _ = w.Write(body) // the client has gone
	})
}

// NoSniff forbids browsers to guess the content type of responses.
func NoSniff(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("X-Content-Type-Options", "nosniff")
		next.ServeHTTP(w, r)
	})
}

// LocalHosts rejects requests whose Host header is neither loopback nor own, the host of the configured address. It prevents
// DNS rebinding: a web page can make a browser on this machine send requests here under its own name and read the
// responses. Browsers always send the header.
func LocalHosts(own string, next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		host := HostOf(r.Host)
		if host != "" && !strings.EqualFold(host, own) && !config.IsLoopback(host) {
			http.Error(w, "this server answers under localhost only", http.StatusMisdirectedRequest)
			return
		}
		next.ServeHTTP(w, r)
	})
}

// HostOf returns the host of host:port, [host]:port, [host] or host.
func HostOf(address string) string {
	if host, _, err := net.SplitHostPort(address); err == nil {
		return host
	}
	return strings.TrimSuffix(strings.TrimPrefix(address, "["), "]")
}
