// Package browsertest drives a headless Chromium by the DevTools protocol; tests only.
package browsertest

import (
	"context"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/gorilla/websocket"
	"github.com/stretchr/testify/require"
)

// Browser is a headless Chromium with one page, driven by the DevTools protocol.
type Browser struct {
	t        *testing.T
	socket   *websocket.Conn
	last     int
	session  string
	origin   string   // of the pages; "" for files
	problems []string // errors in the console, exceptions, refused loads, requests to other places
}

// StartBrowser starts Chromium, or skips the test where there is none; REQUIRE_BROWSER=1 turns the skip into a failure.
func StartBrowser(t *testing.T) *Browser {
	t.Helper()
	program, err := exec.LookPath("chromium")
	if err != nil {
		program, err = exec.LookPath("google-chrome")
	}
	if err != nil {
		require.NotEqual(t, "1", os.Getenv("REQUIRE_BROWSER"), "no chromium")
		t.Skip("no chromium")
	}
	profile := t.TempDir()
	ctx, cancel := context.WithTimeout(context.Background(), 3*time.Minute)
	cmd := exec.CommandContext(ctx, program, "--headless", "--no-sandbox", "--disable-gpu", "--no-first-run", "--disable-extensions",
		"--disable-background-networking", "--hide-scrollbars", "--remote-debugging-address=127.0.0.1", "--remote-debugging-port=0", "--user-data-dir="+profile, "about:blank")
	require.NoError(t, cmd.Start())
	b := &Browser{t: t}
	t.Cleanup(func() {
		if b.socket != nil {
			b.call("Browser.close", nil, nil)
			_ = b.socket.Close()
		}
		_ = cmd.Wait()
		cancel()
	})
	b.socket = dialBrowser(ctx, t, filepath.Join(profile, "DevToolsActivePort"))
	var target struct{ TargetID string }
	b.call("Target.createTarget", map[string]any{"url": "about:blank"}, &target)
	var attached struct{ SessionID string }
	b.call("Target.attachToTarget", map[string]any{"targetId": target.TargetID, "flatten": true}, &attached)
	b.session = attached.SessionID
	for _, domain := range []string{"Page", "Runtime", "Log", "Network"} {
		b.call(domain+".enable", nil, nil)
	}
	return b
}

// dialBrowser connects as soon as Chromium has written where.
func dialBrowser(ctx context.Context, t *testing.T, file string) *websocket.Conn {
	t.Helper()
	var lines []string
	require.Eventually(t, func() bool {
		text, err := os.ReadFile(file)
		lines = strings.Fields(string(text))
		return err == nil && len(lines) == 2
	}, time.Minute, 20*time.Millisecond, "chromium did not start")
	socket, resp, err := websocket.DefaultDialer.DialContext(ctx, "ws://127.0.0.1:"+lines[0]+lines[1], nil)
	require.NoError(t, err)
	require.NoError(t, resp.Body.Close())
	return socket
}

// reply is a message of the browser: a result, or an event.
type reply struct {
	ID     int             `json:"id"`
	Method string          `json:"method"`
	Params json.RawMessage `json:"params"`
	Result json.RawMessage `json:"result"`
	Error  *struct{ Message string }
}

// call sends a command and waits for its result.
func (b *Browser) call(method string, params map[string]any, result any) {
	b.t.Helper()
	r := b.send(method, params)
	require.Nil(b.t, r.Error, method)
	if result != nil {
		require.NoError(b.t, json.Unmarshal(r.Result, result))
	}
}

// send sends a command and returns its reply.
func (b *Browser) send(method string, params map[string]any) reply {
	b.t.Helper()
	b.last++
	command := map[string]any{"id": b.last, "method": method, "params": params}
	if params == nil {
		command["params"] = map[string]any{}
	}
	if b.session != "" && !strings.HasPrefix(method, "Browser.") {
		command["sessionId"] = b.session
	}
	require.NoError(b.t, b.socket.WriteJSON(command))
	return b.await(func(r *reply) bool { return r.ID == b.last })
}

// await reads until a message matches, and keeps the problems on the way.
func (b *Browser) await(matches func(r *reply) bool) reply {
	b.t.Helper()
	for {
		require.NoError(b.t, b.socket.SetReadDeadline(time.Now().Add(time.Minute)))
		var r reply
		require.NoError(b.t, b.socket.ReadJSON(&r))
		text := string(r.Params)
		switch r.Method {
		case "Runtime.exceptionThrown", "Page.javascriptDialogOpening", "Page.windowOpen":
			b.problems = append(b.problems, r.Method+text)
		case "Runtime.consoleAPICalled", "Log.entryAdded":
			if !strings.Contains(text, `"verbose"`) {
				b.problems = append(b.problems, r.Method+text)
			}
		case "Network.requestWillBeSent":
			if !strings.Contains(text, `"url":"file:`) && (b.origin == "" || !strings.Contains(text, `"url":"`+b.origin+"/")) {
				b.problems = append(b.problems, r.Method+text)
			}
		}
		if matches(&r) {
			return r
		}
	}
}

// Open loads a file and waits until the page is complete.
func (b *Browser) Open(file, hash string) {
	b.t.Helper()
	b.load("file://"+file+hash, `location.protocol === "file:"`)
}

// Visit loads a page of a server. Requests to its origin are allowed from then on.
func (b *Browser) Visit(origin, path string) {
	b.t.Helper()
	b.origin = origin
	b.load(origin+path, fmt.Sprintf("location.origin === %q", origin))
}

func (b *Browser) load(url, loaded string) {
	b.t.Helper()
	b.call("Page.navigate", map[string]any{"url": "about:blank"}, nil)
	b.last++
	require.NoError(b.t, b.socket.WriteJSON(map[string]any{
		"id": b.last, "method": "Page.navigate", "sessionId": b.session, "params": map[string]any{"url": url},
	}))
	b.await(func(r *reply) bool { return r.ID == b.last })
	b.Until(`document.readyState === "complete" && ` + loaded)
}

// Problems are errors in the console, exceptions, refused loads, and requests to other places, so far.
func (b *Browser) Problems() []string { return b.problems }

// Until waits until an expression holds. While a page loads it does not.
func (b *Browser) Until(expression string) {
	b.t.Helper()
	guarded := "(() => { try { return Boolean(" + expression + ") } catch { return false } })()"
	for range 600 {
		var got struct{ Result struct{ Value bool } }
		if r := b.send("Runtime.evaluate", map[string]any{"expression": guarded, "returnByValue": true}); r.Error == nil && json.Unmarshal(r.Result, &got) == nil && got.Result.Value {
			return
		}
		<-time.After(25 * time.Millisecond)
	}
	require.FailNow(b.t, "never true: "+expression)
}

// Eval evaluates an expression in the page.
func (b *Browser) Eval(expression string, value any) {
	b.t.Helper()
	var got struct {
		Result           struct{ Value json.RawMessage }
		ExceptionDetails json.RawMessage
	}
	b.call("Runtime.evaluate", map[string]any{"expression": expression, "returnByValue": true, "awaitPromise": true}, &got)
	require.Empty(b.t, string(got.ExceptionDetails), expression)
	if value != nil {
		require.NoError(b.t, json.Unmarshal(got.Result.Value, value), expression)
	}
}

// Press types a key.
func (b *Browser) Press(key string) {
	b.t.Helper()
	down := map[string]any{"type": "keyDown", "key": key}
	if len(key) == 1 {
		down["text"] = key
	}
	b.call("Input.dispatchKeyEvent", down, nil)
	b.call("Input.dispatchKeyEvent", map[string]any{"type": "keyUp", "key": key}, nil)
}

// View sets the size of the window and the color scheme.
func (b *Browser) View(width, height int, scheme string) {
	b.t.Helper()
	b.call("Emulation.setDeviceMetricsOverride", map[string]any{"width": width, "height": height, "deviceScaleFactor": 1, "mobile": width < 600}, nil)
	b.call("Emulation.setEmulatedMedia", map[string]any{"features": []map[string]any{{"name": "prefers-color-scheme", "value": scheme}}}, nil)
}

// Fit makes the window as high as it must be to show the first element that the selector names, and no more.
func (b *Browser) Fit(width int, selector, scheme string) {
	b.t.Helper()
	var bottom int
	b.Eval(fmt.Sprintf(`Math.ceil(document.querySelector(%q).getBoundingClientRect().bottom + scrollY)`, selector), &bottom)
	b.View(width, bottom+12, scheme)
}

// Picture writes what the window shows.
func (b *Browser) Picture(file string) {
	b.t.Helper()
	var shot struct{ Data string }
	b.call("Page.captureScreenshot", map[string]any{"format": "png"}, &shot)
	raw, err := base64.StdEncoding.DecodeString(shot.Data)
	require.NoError(b.t, err)
	require.NoError(b.t, os.WriteFile(file, raw, 0o600))
}
