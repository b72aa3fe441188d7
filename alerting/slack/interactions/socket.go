package interactions

import (
	"cmp"
	"context"
	"errors"
	"io"
	"log"
	"log/slog"
	"net"
	"net/http"
	"strings"
	"time"

	"github.com/gorilla/websocket"
	"github.com/slack-go/slack"
	"github.com/slack-go/slack/socketmode"
	"golang.org/x/time/rate"

	slacksink "confab/alerting/slack"
	"confab/internal/redact"
)

const (
	defaultAPI   = "https://slack.com/api/"
	opConnect    = "open a Socket Mode connection to Slack"
	appTokenHelp = "make an app-level token with the scope connections:write (Basic Information of the Slack app), " +
		"turn Socket Mode on, and set alerting.slack.app_token"

	maxEnvelope         = 1 << 20          // bytes; a click brings its message along, tens of kilobytes
	openTimeout         = 30 * time.Second // of the request for an address, including the rate limit
	handshakeTimeout    = 15 * time.Second
	writeBuffer         = 32 << 10 // Slack drops an answer in several frames
	openEvery           = 10 * time.Second
	openBurst           = 3           // limits reconnects when connections are closed at once
	repeatInterval      = time.Minute // of equal log lines, and of retries that wait for a person
	maxConcurrentClicks = 16
)

// SocketOptions configure a Socket.
type SocketOptions struct {
	Handler  *Handler
	AppToken redact.Secret // begins with xapp
	// APIURL overrides Slack's Web API, for tests.
	APIURL  string
	Metrics *Metrics
	Logger  *slog.Logger
	Now     func() time.Time // default: time.Now
	// Dial overrides the dialer of the websocket, and Transport that of HTTP, for tests.
	Dial      func(ctx context.Context, network, addr string) (net.Conn, error)
	Transport http.RoundTripper
}

// Socket receives clicks over a websocket that it opens (Socket Mode), so the worker needs no reachable address. Slack
// delivers each click to one of at most ten open sockets of an app.
type Socket struct {
	opts   SocketOptions
	client func() *socketmode.Client // a function, so that printing the value shows no secret
}

// NewSocket checks the options; it makes no request.
func NewSocket(opts SocketOptions) (*Socket, error) {
	token := opts.AppToken.Reveal()
	if !strings.HasPrefix(token, "xapp-") || strings.ContainsAny(token, " \t\r\n") {
		return nil, errors.New("alerting.slack.app_token is not an app-level token, which begins with xapp-; " + appTokenHelp)
	}
	base := cmp.Or(opts.APIURL, defaultAPI)
	if err := slacksink.CheckAPIURL("alerting.slack.api_url", base); err != nil {
		return nil, err
	}
	if opts.Now == nil {
		opts.Now = time.Now
	}
	quiet := log.New(io.Discard, "", 0) // the address of a socket is a secret
	web := slacksink.NewHTTPClient(opts.Transport)
	web.Transport = pacedTransport{web.Transport, rate.NewLimiter(rate.Every(openEvery), openBurst)}
	web.Timeout = openTimeout
	dialer := &websocket.Dialer{
		NetDialContext: opts.Dial, Proxy: http.ProxyFromEnvironment,
		HandshakeTimeout: handshakeTimeout, WriteBufferSize: writeBuffer,
	}
	client := socketmode.New(
		slack.New("", slack.OptionAppLevelToken(token), slack.OptionHTTPClient(web),
			slack.OptionAPIURL(strings.TrimSuffix(base, "/")+"/"), slack.OptionLog(quiet)),
		socketmode.OptionDialer(dialer), socketmode.OptionReadLimit(maxEnvelope), socketmode.OptionLog(quiet))
	opts.AppToken = ""
	return &Socket{opts: opts, client: func() *socketmode.Client { return client }}, nil
}

// pacedTransport waits for a limiter before each request.
type pacedTransport struct {
	http.RoundTripper
	limiter *rate.Limiter
}

// RoundTrip makes one request.
func (p pacedTransport) RoundTrip(req *http.Request) (*http.Response, error) {
	if err := p.limiter.Wait(req.Context()); err != nil {
		return nil, err
	}
	return p.RoundTripper.RoundTrip(req)
}

// Check checks the app token by requesting the address of a socket. It opens none.
func (s *Socket) Check(ctx context.Context) error {
	_, address, err := s.client().OpenContext(ctx)
	if err == nil && address == "" { // the library takes a reply without "ok" and "error" for a success
		err = errors.New("the reply names no address")
	}
	if err != nil {
		return explainConnect(err)
	}
	return nil
}
