package config

import (
	"net"
	"net/url"
	"regexp"
	"strings"

	"confab/internal/strictyaml"
)

// urlRules are what an address of the configuration must keep to, besides being http or https with a host and without a
// login.
type urlRules struct {
	page    bool   // people open it: a query and a fragment are part of it; the worker adds its own paths to the others
	private bool   // a secret travels in it or to it: https, or http to this very machine
	login   string // the keys that take a login instead; "" for a page, which everybody sees
}

// url checks an address. The message does not show it: it may hold a secret.
func (k *checker) url(path, text string, rules urlRules) {
	u, err := url.Parse(text)
	if err != nil || !isWeb(u) {
		k.fail(path, "expected an https:// address with a host")
		return
	}
	remedy := "remove it: everybody who sees the address could use it"
	if rules.login != "" {
		remedy = "move it to " + rules.login
	}
	switch {
	case u.User != nil:
		k.fail(path, "holds a login: %s", remedy)
	case !rules.page && (u.RawQuery != "" || u.Fragment != ""):
		k.fail(path, "holds a query or a fragment: give the base address alone")
	case rules.private && u.Scheme == "http" && !IsLoopback(u.Hostname()):
		k.fail(path, "is http, and a secret would travel in the clear: use https://")
	}
}

func isWeb(u *url.URL) bool { return u.Host != "" && (u.Scheme == "https" || u.Scheme == "http") }

// YAML is the effective configuration as a file that would load again where the process started, which is what its paths are
// relative to, with every secret masked, those in addresses included.
func (c *Config) YAML() ([]byte, error) {
	return strictyaml.Encode(c, func(key, text string) string {
		if isURLKey(key) {
			return maskURL(text)
		}
		return text
	})
}

// isURLKey reports whether a key of the configuration holds an address.
func isURLKey(name string) bool { return name == "url" || strings.HasSuffix(name, "_url") }

// maskURL is an address as it may be printed: without a login, and without the values of its query, where tokens are
// found. {trace_id} stays, so that the configuration loads again.
func maskURL(text string) string {
	const mask = "[secret]"
	text, fragment, hasFragment := strings.Cut(text, "#")
	base, query, hasQuery := strings.Cut(text, "?")
	if scheme, rest, ok := strings.Cut(base, "://"); ok {
		host, _, _ := strings.Cut(rest, "/")
		if at := strings.LastIndexByte(host, '@'); at >= 0 {
			base = scheme + "://" + mask + rest[at:]
		}
	}
	out := base
	if hasQuery {
		parts := strings.Split(query, "&")
		for i, p := range parts {
			if name, value, has := strings.Cut(p, "="); has {
				parts[i] = name + "=" + maskedValue(value, mask)
			} else { // a bare word may be the token itself
				parts[i] = maskedValue(name, mask)
			}
		}
		out += "?" + strings.Join(parts, "&")
	}
	if hasFragment {
		out += "#" + maskedValue(fragment, mask)
	}
	return out
}

// maskedValue is the mask of a value, beside the placeholder where the value holds it.
func maskedValue(value, mask string) string {
	switch {
	case value == "" || value == traceID:
		return value
	case strings.Contains(value, traceID):
		return mask + traceID
	default:
		return mask
	}
}

// tokenName is what a query calls a token.
var tokenName = regexp.MustCompile(`(?i)token|secret|passw|signature|credential|^auth(orization)?$|^(api[_-]?)?key$|^sig$`)

// tokenInQuery is the name of a query's parameter that looks like a token; "" for none.
func tokenInQuery(text string) string {
	u, err := url.Parse(text)
	if err != nil {
		return ""
	}
	for part := range strings.SplitSeq(u.RawQuery, "&") {
		if name, value, _ := strings.Cut(part, "="); value != "" && value != traceID && tokenName.MatchString(name) {
			return name
		}
	}
	return ""
}

// warnLinks names tokens in addresses that everybody in the channel can read.
func (a *Alerting) warnLinks(warn func(when bool, format string, args ...any)) {
	for _, link := range []struct{ path, text string }{
		{"alerting.trace_url", a.TraceURL}, {"alerting.runbook_url", a.RunbookURL},
	} {
		name := tokenInQuery(link.text)
		warn(name != "", "%s has the parameter %q in its query: alerts show the address to everybody in the channel", link.path, name)
	}
}

// IsLoopback reports whether a host stands for this very machine.
func IsLoopback(host string) bool {
	return strings.EqualFold(host, "localhost") || net.ParseIP(host).IsLoopback()
}
