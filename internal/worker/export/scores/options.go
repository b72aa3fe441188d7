package scores

import (
	"errors"
	"fmt"
	"net/http"
	"strings"
	"time"

	"confab/alerting/httpsend"
	"confab/internal/redact"
	"confab/internal/worker/export/delivery"
)

// Connection says how to reach a backend.
type Connection struct {
	// Base address of the API. Empty: none.
	URL string `yaml:"url"`
	// Timeout of one request.
	Timeout time.Duration `yaml:"timeout" min:"100ms" max:"5m"`
	// Minimum time between two requests; 0: none.
	Interval time.Duration `yaml:"interval" min:"0s" max:"1m"`
	// How long after its detection a flag waits for its span to arrive in the backend. Then it is rejected.
	SpanWait time.Duration `yaml:"span_wait" min:"0s" max:"24h"`

	// Transport overrides the HTTP transport.
	Transport http.RoundTripper `yaml:"-"`
	// Now is the clock. Default: time.Now.
	Now func() time.Time `yaml:"-"`
}

// DefaultConnection returns the defaults of all backends.
func DefaultConnection() Connection {
	return Connection{Timeout: 10 * time.Second, SpanWait: 2 * time.Minute}
}

// check checks the settings of a section. login reports whether a credential is sent.
func (o *Connection) check(section string, login bool) error {
	u, local, err := httpsend.ParseURL(section+".url", redact.Secret(o.URL))
	switch {
	case err != nil:
		return err
	case u.User != nil:
		return errors.New(section + ".url holds a login; move it to the keys for it")
	case u.RawQuery != "" || u.Fragment != "":
		return errors.New(section + ".url must end with a path; leave out what begins with ? or #")
	case u.Scheme == "http" && !local && login:
		return errors.New(section + ".url does not use https; a credential may only reach this machine without")
	case o.Timeout < 0 || o.Interval < 0 || o.SpanWait < 0:
		return errors.New(section + ": timeout, interval and span_wait must not be negative")
	}
	return nil
}

// checkWord checks a value that is sent in a header.
func checkWord(key, value string) error {
	if strings.ContainsFunc(value, func(r rune) bool { return r <= ' ' || r > '~' }) {
		return fmt.Errorf("%s has white space or characters beyond ASCII in it; set the value alone", key)
	}
	return nil
}

// newDestination returns the destination of a backend.
func (o *Connection) newDestination(name string, size int, c *client, b backend) delivery.Destination {
	now := o.Now
	if now == nil {
		now = time.Now
	}
	return &destination{backend: b, name: name, size: size, wait: o.SpanWait, now: now, sender: c.send, ledger: newLedger()}
}
