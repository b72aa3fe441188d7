package interactions

import (
	"context"
	"crypto/sha1"
	"encoding/base64"
	"encoding/binary"
	"fmt"
	"io"
	"net"
	"net/http"
	"runtime"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/stretchr/testify/require"

	slacksink "confab/alerting/slack"
)

const hello = `{"type":"hello","num_connections":1,"connection_info":{"app_id":"A1"}}`

// upgradeReply returns the valid reply to a websocket request.
func upgradeReply(r *http.Request) string {
	sum := sha1.Sum([]byte(r.Header.Get("Sec-WebSocket-Key") + "258EAFA5-E914-47DA-95CA-C5AB0DC85B11"))
	return "HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\nConnection: Upgrade\r\nSec-WebSocket-Accept: " +
		base64.StdEncoding.EncodeToString(sum[:]) + "\r\n\r\n"
}

// First bytes of frames.
const (
	more    = 0x00
	text    = 0x01
	asBytes = 0x02
	closes  = 0x08
	ping    = 0x09
	final   = 0x80
)

// frame returns a frame of a server with its length, or with a claimed one.
func frame(head byte, payload string, claimed ...uint64) string {
	n := uint64(len(payload))
	if len(claimed) > 0 {
		n = claimed[0]
	}
	b := []byte{head}
	switch {
	case n < 126:
		b = append(b, byte(n))
	case n < 1<<16:
		b = binary.BigEndian.AppendUint16(append(b, 126), uint16(n))
	default:
		b = binary.BigEndian.AppendUint64(append(b, 127), n)
	}
	return string(b) + payload
}

func textFrame(payload string) string { return frame(final|text, payload) }

// sendParts writes each part, then closes the connection.
func sendParts(parts ...string) func(net.Conn) {
	return func(conn net.Conn) {
		go func() { _, _ = io.Copy(io.Discard, conn) }() // discard what the client sends
		for _, part := range parts {
			if _, err := io.WriteString(conn, part); err != nil {
				return
			}
		}
	}
}

// sendRepeatedly writes first, then again in a loop with pauses, until the client closes the connection.
func sendRepeatedly(first, again string, pause time.Duration) func(net.Conn) {
	return func(conn net.Conn) {
		gone := make(chan struct{})
		go func() { defer close(gone); _, _ = io.Copy(io.Discard, conn) }()
		for part := first; ; part = again {
			if _, err := io.WriteString(conn, part); err != nil {
				return
			}
			select {
			case <-time.After(pause): // virtual
			case <-gone:
				return
			}
		}
	}
}

// sendWithoutReading is sendRepeatedly without reading acknowledgements and pongs.
func sendWithoutReading(first, again string) func(net.Conn) {
	return func(conn net.Conn) {
		for part := first; ; part = again {
			if _, err := io.WriteString(conn, part); err != nil {
				return
			}
			<-time.After(100 * time.Millisecond) // virtual
		}
	}
}

// closeFrame returns a frame that ends a connection with a code.
func closeFrame(code uint16, why string) string {
	return frame(final|closes, string(binary.BigEndian.AppendUint16(nil, code))+why)
}

func hostileSessions() map[string]func(net.Conn) {
	mega := strings.Repeat("a", 1<<20)
	all := map[string]func(net.Conn){
		"sends nothing":               sendRepeatedly("", "", time.Hour),
		"pings without a hello":       sendRepeatedly("", frame(final|ping, "x"), 10*time.Second),
		"hangs up at once":            sendParts(),
		"hangs up after hello":        sendParts(textFrame(hello)),
		"asks for refresh at once":    sendParts(textFrame(hello), textFrame(`{"type":"disconnect","reason":"refresh_requested"}`)),
		"asks for refresh, no hello":  sendParts(textFrame(`{"type":"disconnect","reason":"refresh_requested"}`)),
		"disconnects again and again": sendRepeatedly(textFrame(hello), textFrame(`{"type":"disconnect","reason":"warning"}`), 0),
		"a frame of 2^63":             sendParts(textFrame(hello), frame(final|text, "x", 1<<63)),
		"a frame of 2^62":             sendParts(textFrame(hello), frame(final|text, "x", 1<<62)),
		"a frame of 2 MiB":            sendParts(textFrame(hello), textFrame(mega+mega)),
		"fragments without end":       sendRepeatedly(textFrame(hello)+frame(text, `{"type":"`), frame(more, mega[:1<<16]), 0),
		"fragments of nothing":        sendRepeatedly(textFrame(hello)+frame(text, ""), strings.Repeat(frame(more, ""), 100), 100*time.Millisecond),
		"a frame that drips":          sendRepeatedly(textFrame(hello)+frame(final|text, "", 1<<19), "a", time.Second),
		"a head that drips":           sendRepeatedly(textFrame(hello), "\x81", time.Minute),
		"reserved bits":               sendParts(textFrame(hello), frame(final|0x70|text, "{}")),
		"an unknown frame":            sendParts(textFrame(hello), frame(final|0x0f, "{}")),
		"a masked frame":              sendParts(textFrame(hello), "\x81\x80\x00\x00\x00\x00"),
		"text that is not UTF-8":      sendParts(textFrame(hello), textFrame("\xff\xfe\x00")),
		"binary":                      sendParts(textFrame(hello), frame(final|asBytes, hello)),
		"a ping of 65,536":            sendParts(textFrame(hello), frame(final|ping, mega[:1<<16])),
		"a fragmented ping":           sendParts(textFrame(hello), frame(ping, "x")),
		"pings in a flood":            sendRepeatedly(textFrame(hello), strings.Repeat(frame(final|ping, "ping"), 100), time.Second),
		"unreadable envelopes":        sendRepeatedly(textFrame(hello), strings.Repeat(textFrame(`{"type":"surprise"}`), 100), time.Second),
		"helloes in a flood":          sendRepeatedly(textFrame(hello), strings.Repeat(textFrame(hello), 100), time.Second),
		"pings without reading":       sendWithoutReading(textFrame(hello), frame(final|ping, "ping")),
		"clicks without reading":      sendWithoutReading(textFrame(hello), textFrame(`{"envelope_id":"e","type":"slash_commands","payload":{}}`)),
		"HTTP":                        sendParts("HTTP/1.1 200 OK\r\n\r\n<html>"),
	}
	for _, code := range []uint16{0, 999, 1000, 1001, 1002, 1006, 1009, 1012, 3000, 4999, 65535} {
		all[fmt.Sprint("closes with ", code)] = sendParts(textFrame(hello), closeFrame(code, "later"))
	}
	all["closes with a byte"] = sendParts(textFrame(hello), frame(final|closes, "\x03"))
	all["closes without UTF-8"] = sendParts(textFrame(hello), closeFrame(1000, "\xff"))
	return all
}

// TestHostileSocket: with a hostile server, addresses are requested at most seven times a minute, memory stays bounded,
// nothing is written, and the next good connection serves clicks. The Socket stops at once.
func TestHostileSocket(t *testing.T) {
	if testing.Short() {
		t.Skip("takes seconds: make test runs it")
	}
	for name, raw := range hostileSessions() {
		t.Run(name, func(t *testing.T) { runHostile(t, func(s *fakeSlack) { s.raw = raw }) })
	}
}

// TestHostileUpgrade is the same for replies to the websocket request.
func TestHostileUpgrade(t *testing.T) {
	for name, greet := range map[string]string{
		"nothing":           "",
		"another key":       "HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\nConnection: Upgrade\r\nSec-WebSocket-Accept: AAAA\r\n\r\n",
		"a page":            "HTTP/1.1 200 OK\r\nContent-Length: 6\r\n\r\n<html>",
		"a redirect":        "HTTP/1.1 302 Found\r\nLocation: /link\r\nContent-Length: 0\r\n\r\n",
		"too many requests": "HTTP/1.1 429 Too Many Requests\r\nRetry-After: 0\r\nContent-Length: 0\r\n\r\n",
		"no HTTP":           "SSH-2.0-x\r\n",
	} {
		t.Run(name, func(t *testing.T) {
			runHostile(t, func(s *fakeSlack) {
				s.greet = func(*http.Request) string { return greet }
				s.raw = sendRepeatedly("", "", time.Hour)
			})
		})
	}
}

// runHostile runs a Socket against a hostile Slack for ten minutes, then against a good one.
func runHostile(t *testing.T, change func(s *fakeSlack)) {
	synctest.Test(t, func(t *testing.T) {
		b, s := newRecorder(), newFakeSlack(t)
		s.set(func() { change(s) })
		socket := b.socket(t, s)
		ctx, cancel := context.WithCancel(t.Context())
		done := make(chan error, 1)
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		go func() { done <- socket.Run(ctx) }()
		advanceTime(10 * time.Minute)
		runtime.ReadMemStats(&after)
		var opened int
		s.set(func() {
			opened, s.raw, s.greet = len(s.opened), nil, nil
			for _, conn := range s.raws {
				_ = conn.Close()
			}
		})
		t.Logf("%d connections, %.1f MiB, %d lines", opened, float64(after.TotalAlloc-before.TotalAlloc)/(1<<20), strings.Count(b.log(), "\n"))
		require.LessOrEqual(t, opened, 70)
		require.Less(t, after.TotalAlloc-before.TotalAlloc, uint64(64+32*opened)<<20)
		require.LessOrEqual(t, strings.Count(b.log(), "\n"), 200)
		require.Zero(t, b.count())
		live := <-s.sessions
		live.click("good", newClick(slacksink.ActionWrong))
		for id := range live.acks { // unread acknowledgements may come first
			if id == "good" {
				break
			}
		}
		require.Equal(t, 1, b.count())
		stopped := time.Now()
		cancel()
		require.NoError(t, <-done)
		require.LessOrEqual(t, time.Since(stopped), time.Second)
		advanceTime(time.Second) // for what the hostile side still writes
		requireNoSecrets(t, b.log(), appToken, ticket)
	})
}
