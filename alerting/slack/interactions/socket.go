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
	openTimeout         = 30 * time.Second // of asking for an address, the wait for its turn included
	handshakeTimeout    = 15 * time.Second
	writeBuffer         = 32 << 10 // Slack drops an answer that comes in several frames
	openEvery           = 10 * time.Second
	openBurst           = 3 // addresses asked for at once; a connection that is cut as soon as it stands must not become a loop
	oncePerMinute       = time.Minute
	maxConcurrentClicks = 16 // clicks in work
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
	// Dial overrides how the websocket's connection is made, and Transport that of HTTP, for tests.
	Dial      func(ctx context.Context, network, addr string) (net.Conn, error)
	Transport http.RoundTripper
}

// Socket receives clicks over a websocket that it opens itself (Socket Mode): no address of the worker need be reachable.
// Slack gives each click to one of at most ten open sockets of an app.
type Socket struct {
	opts   SocketOptions
	client func() *socketmode.Client // a function, so that printing the value shows no secret
}

// NewSocket checks the options; it makes no request.
func NewSocket(opts SocketOptions) (*Socket, error) {
	token := opts.AppToken.Reveal()
	if !strings.HasPrefix(token, "xapp-") || strings.ContainsAny(token, " \t\r\n") {
		return nil, errors.New("alerting.slack.app_token is no app-level token, which begins with xapp-; " + appTokenHelp)
	}
	base := cmp.Or(opts.APIURL, defaultAPI)
	if err := slacksink.CheckAPIURL("alerting.slack.api_url", base); err != nil {
		return nil, err
	}
	if opts.Now == nil {
		opts.Now = time.Now
	}
	quiet := log.New(io.Discard, "", 0) // the address of a socket holds a ticket
	web := slacksink.NewHTTPClient(opts.Transport)
	web.Transport = pacedTransport{web.Transport, rate.NewLimiter(rate.Every(openEvery), openBurst)}
	web.Timeout = openTimeout
	dialer := &websocket.Dialer{
		NetDialContext: boundedDialer(opts.Dial), Proxy: http.ProxyFromEnvironment,
		HandshakeTimeout: handshakeTimeout, WriteBufferSize: writeBuffer,
	}
	client := socketmode.New(
		slack.New("", slack.OptionAppLevelToken(token), slack.OptionHTTPClient(web),
			slack.OptionAPIURL(strings.TrimSuffix(base, "/")+"/"), slack.OptionLog(quiet)),
		socketmode.OptionDialer(dialer), socketmode.OptionReadLimit(maxEnvelope), socketmode.OptionLog(quiet))
	opts.AppToken = ""
	return &Socket{opts: opts, client: func() *socketmode.Client { return client }}, nil
}

// pacedTransport waits its turn before each request.
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

// Check asks Slack for a socket's address, which is all that an app token is good for, and opens none.
func (s *Socket) Check(ctx context.Context) error {
	_, address, err := s.client().OpenContext(ctx)
	if err == nil && address == "" { // the library takes a reply without "ok" and without an error for a success
		err = errors.New("the reply names no address")
	}
	if err != nil {
		return explainConnect(err)
	}
	return nil
}
