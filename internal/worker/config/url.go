package config

import (
	"net"
	"regexp"
	"strings"

	"confab/internal/strictyaml"
)

// YAML is the effective configuration as a file with all secrets masked, also those in addresses. Its paths are relative
// to the working directory.
func (c *Config) YAML() ([]byte, error) {
	return strictyaml.Encode(c, func(key, text string) string {
		if key == "url" || strings.HasSuffix(key, "_url") {
			return maskURL(text)
		}
		return text
	})
}

var (
	userinfo    = regexp.MustCompile(`://[^/?#]*@`)
	queryPart   = regexp.MustCompile(`[^&#]+`)
	placeholder = regexp.MustCompile(`\{[a-z_]+\}`)
)

// maskURL masks the login, the values of the query and the fragment of an address, which may hold tokens. Placeholders stay,
// so that the configuration loads again.
func maskURL(text string) string {
	text = userinfo.ReplaceAllString(text, "://[secret]@")
	at := strings.IndexAny(text, "?#")
	if at < 0 {
		return text
	}
	return text[:at+1] + queryPart.ReplaceAllStringFunc(text[at+1:], func(part string) string {
		name, value, has := strings.Cut(part, "=")
		if !has { // a bare word may be the token itself
			name, value = "", part
		}
		kept := strings.Join(placeholder.FindAllString(value, -1), "")
		if value != kept {
			value = "[secret]" + kept
		}
		if has {
			return name + "=" + value
		}
		return value
	})
}

// IsLoopback reports whether a host is a loopback name or address.
func IsLoopback(host string) bool {
	return strings.EqualFold(host, "localhost") || net.ParseIP(host).IsLoopback()
}
