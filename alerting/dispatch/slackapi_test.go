package dispatch

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"net/http"
	"net/http/httptrace"
	"net/url"
	"strconv"
	"strings"
	"sync"
	"time"

	slacksink "confab/alerting/slack"
	"confab/schemas"
)

// slackAPI is a Slack in memory for virtual time. It injects faults and keeps what it accepted.
type slackAPI struct {
	mu        sync.Mutex
	random    *rand.Rand
	faults    float64 // share of requests that fail
	noHistory bool    // the history is out of scope
	down      func(channel string, now time.Duration) string
	start     time.Time
	alerts    map[string]schemas.Alert // by message: what the bot was last given
	channels  map[string]*slackChannel
	injected  map[string]int
	lost      map[string]int // by message: replies lost after accepting
	edits     int64
	unknown   int // edits of unknown messages
}

type slackChannel struct {
	posts    []time.Duration // every request to post, including refused ones
	messages []*slackMessage
}

type slackMessage struct {
	ts, id string
	alert  schemas.Alert // as it was last accepted
	marked bool
	at     time.Duration
}

func newSlackAPI(seed uint64) *slackAPI {
	return &slackAPI{
		random: rand.New(rand.NewPCG(seed, 7)), start: time.Now(), alerts: map[string]schemas.Alert{},
		channels: map[string]*slackChannel{}, injected: map[string]int{}, lost: map[string]int{},
	}
}

// recordingSink records the alerts that it passes to a bot.
type recordingSink struct {
	*slacksink.Bot
	api *slackAPI
}

func (w recordingSink) Notify(ctx context.Context, a schemas.Alert) (schemas.Receipt, error) {
	w.api.recordAlert(a)
	return w.Bot.Notify(ctx, a)
}

func (w recordingSink) Edit(ctx context.Context, a schemas.Alert, at schemas.Receipt) error {
	w.api.recordAlert(a)
	return w.Bot.Edit(ctx, a, at)
}

func (s *slackAPI) recordAlert(a schemas.Alert) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.alerts[a.Message] = a
}

// RoundTrip serves a request of the bot.
func (s *slackAPI) RoundTrip(r *http.Request) (*http.Response, error) {
	body, _ := io.ReadAll(r.Body)
	form, _ := url.ParseQuery(string(body))
	if trace := httptrace.ContextClientTrace(r.Context()); trace != nil && trace.WroteHeaders != nil {
		trace.WroteHeaders()
	}
	resp, err := s.serve(strings.TrimPrefix(r.URL.Path, "/api/"), form)
	if errors.Is(err, errHang) {
		<-r.Context().Done()
		return nil, r.Context().Err()
	}
	return resp, err
}

var errHang = errors.New("no reply")

func (s *slackAPI) serve(method string, form url.Values) (*http.Response, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	now := time.Since(s.start)
	c := s.channels[form.Get("channel")]
	if c == nil {
		c = &slackChannel{}
		s.channels[form.Get("channel")] = c
	}
	if method == "chat.postMessage" {
		c.posts = append(c.posts, now)
	}
	if s.down != nil {
		if code := s.down(form.Get("channel"), now); code != "" && method != "conversations.history" {
			s.injected[code]++
			return refusedWith(code), nil
		}
	}
	if s.random.Float64() < s.faults {
		return s.fault(c, method, form, now)
	}
	return s.accept(c, method, form, now), nil
}

func (s *slackAPI) fault(c *slackChannel, method string, form url.Values, now time.Duration) (*http.Response, error) {
	names := []string{"429 int", "429 date", "429 none", "500", "hang", "reset after accept", "400", "403", "msg_blocks_too_long"}
	if method == "conversations.history" {
		names = names[:6] // the others mean that the history may not be read, see noHistory
	}
	name := names[s.random.IntN(len(names))]
	s.injected[name]++
	at := func(d time.Duration) string { return time.Now().Add(d).UTC().Format(http.TimeFormat) }
	switch name {
	case "429 int":
		return httpReply(429, "", "Retry-After", "2"), nil
	case "429 date":
		return httpReply(429, "", "Retry-After", at(3*time.Second), "Date", at(0)), nil
	case "429 none":
		return httpReply(429, ""), nil
	case "500":
		return httpReply(500, ""), nil
	case "hang":
		return nil, errHang
	case "reset after accept":
		s.accept(c, method, form, now)
		if method == "chat.postMessage" {
			s.lost[messageOf(form)]++
		}
		return nil, errors.New("connection reset by peer")
	case "msg_blocks_too_long":
		if form.Get("blocks") == "" {
			return s.accept(c, method, form, now), nil // the minimal form fits
		}
		return refusedWith(name), nil
	}
	code, _ := strconv.Atoi(name)
	return httpReply(code, ""), nil
}

func (s *slackAPI) accept(c *slackChannel, method string, form url.Values, now time.Duration) *http.Response {
	id := messageOf(form)
	switch {
	case method == "conversations.history" && s.noHistory:
		return refusedWith("missing_scope")
	case method == "conversations.history":
		return c.history(form)
	case method == "chat.postMessage":
		m := &slackMessage{
			ts: fmt.Sprintf("%d.%06d", len(c.messages)+1, s.random.IntN(1_000_000)), id: id, alert: s.alerts[id], at: now,
			marked: strings.Contains(form.Get("text"), "possible duplicate"),
		}
		c.messages = append(c.messages, m)
		return acceptedReply(form.Get("channel"), m.ts)
	}
	for _, m := range c.messages {
		if m.ts == form.Get("ts") {
			m.alert = s.alerts[id]
			s.edits++
			return acceptedReply(form.Get("channel"), m.ts)
		}
	}
	s.unknown++
	return refusedWith("message_not_found")
}

// history is a page of the channel's messages, newest first.
func (c *slackChannel) history(form url.Values) *http.Response {
	limit, _ := strconv.Atoi(form.Get("limit"))
	from, _ := strconv.Atoi(form.Get("cursor"))
	var messages []string
	next := ""
	for i := len(c.messages) - 1 - from; i >= 0; i-- {
		if len(messages) == limit {
			next = strconv.Itoa(from + limit)
			break
		}
		m := c.messages[i]
		messages = append(messages, fmt.Sprintf(
			`{"type":"message","ts":%q,"text":"x","metadata":{"event_type":%q,"event_payload":{"message":%q}}}`, m.ts, slacksink.MetadataEvent, m.id))
	}
	return httpReply(200, fmt.Sprintf(`{"ok":true,"messages":[%s],"response_metadata":{"next_cursor":%q}}`, strings.Join(messages, ","), next))
}

func messageOf(form url.Values) string {
	var m struct {
		Payload map[string]string `json:"event_payload"`
	}
	_ = json.Unmarshal([]byte(form.Get("metadata")), &m)
	return m.Payload[slacksink.MetadataMessage]
}

func acceptedReply(channel, ts string) *http.Response {
	return httpReply(200, fmt.Sprintf(`{"ok":true,"channel":%q,"ts":%q}`, channel, ts))
}

func refusedWith(code string) *http.Response {
	return httpReply(200, fmt.Sprintf(`{"ok":false,"error":%q}`, code))
}

func httpReply(status int, body string, headers ...string) *http.Response {
	h := http.Header{"Content-Type": {"application/json"}}
	for i := 0; i+1 < len(headers); i += 2 {
		h.Set(headers[i], headers[i+1])
	}
	return &http.Response{StatusCode: status, Header: h, Body: io.NopCloser(strings.NewReader(body))}
}
