package config

import (
	"net"
	"net/url"
	"regexp"
	"strings"

	"confab/internal/strictyaml"
)

// urlRules restrict an address, in addition to http or https, a host and no login.
type urlRules struct {
	page    bool   // people open it: a query and a fragment are allowed. The worker appends paths to other addresses
	private bool   // it holds or receives a secret: https, or http to this machine
	login   string // the keys that hold the login instead; "" for a page
}

// url checks an address. Problems do not quote it: it may hold a secret.
func (k *checker) url(path, text string, rules urlRules) {
	u, err := url.Parse(text)
	if err != nil || !isWeb(u) {
		k.fail(path, "expected an https:// address with a host")
		return
	}
	remedy := "remove it: anyone who sees the address could use it"
	if rules.login != "" {
		remedy = "move it to " + rules.login
	}
	switch {
	case u.User != nil:
		k.fail(path, "holds a login: %s", remedy)
	case !rules.page && (u.RawQuery != "" || u.Fragment != ""):
		k.fail(path, "holds a query or a fragment: give the base address alone")
	case rules.private && u.Scheme == "http" && !IsLoopback(u.Hostname()):
		k.fail(path, "is http, which would send a secret unencrypted: use https://")
	}
}

func isWeb(u *url.URL) bool { return u.Host != "" && (u.Scheme == "https" || u.Scheme == "http") }

// YAML is the effective configuration as a file with all secrets masked, also those in addresses. Its paths are relative
// to the working directory.
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

// maskURL masks the login, the values of the query and the fragment of an address, which may hold tokens. Placeholders stay,
// so that the configuration loads again.
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

// maskedValue masks a value but keeps its placeholders.
func maskedValue(value, mask string) string {
	kept := strings.Join(regexp.MustCompile(`\{[a-z_]+\}`).FindAllString(value, -1), "")
	if value == "" || value == kept {
		return value
	}
	return mask + kept
}

// tokenName matches the names of query parameters that hold tokens.
var tokenName = regexp.MustCompile(`(?i)token|secret|passw|signature|credential|^auth(orization)?$|^(api[_-]?)?key$|^sig$`)

// tokenInQuery returns the name of a query parameter that looks like a token; "" if there is none.
func tokenInQuery(text string) string {
	u, err := url.Parse(text)
	if err != nil {
		return ""
	}
	for part := range strings.SplitSeq(u.RawQuery, "&") {
		if name, value, _ := strings.Cut(part, "="); value != "" && maskedValue(value, "") != value && tokenName.MatchString(name) {
			return name
		}
	}
	return ""
}

// warnLinks warns about tokens in addresses that messages show.
func (a *Alerting) warnLinks(warn func(when bool, format string, args ...any)) {
	for _, link := range []struct{ path, text string }{
		{"alerting.trace_url", a.TraceURL}, {"alerting.runbook_url", a.RunbookURL}, {"alerting.page_url", a.PageURL},
	} {
		name := tokenInQuery(link.text)
		warn(name != "", "%s has the parameter %q in its query: alerts show the address to everyone in the channel", link.path, name)
	}
}

// IsLoopback reports whether a host is a loopback name or address.
func IsLoopback(host string) bool {
	return strings.EqualFold(host, "localhost") || net.ParseIP(host).IsLoopback()
}
