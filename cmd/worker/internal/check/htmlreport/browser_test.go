package htmlreport

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

// browser is a headless Chromium with one page, driven by the DevTools protocol.
type browser struct {
	t        *testing.T
	socket   *websocket.Conn
	last     int
	session  string
	problems []string // errors in the console, exceptions, refused loads, requests to other places
}

// startBrowser starts Chromium, or skips the test where there is none; REQUIRE_BROWSER=1 turns the skip into a failure.
func startBrowser(t *testing.T) *browser {
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
	b := &browser{t: t}
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
func (b *browser) call(method string, params map[string]any, result any) {
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
	r := b.await(func(r *reply) bool { return r.ID == b.last })
	require.Nil(b.t, r.Error, method)
	if result != nil {
		require.NoError(b.t, json.Unmarshal(r.Result, result))
	}
}

// await reads until a message matches, and keeps the problems on the way.
func (b *browser) await(matches func(r *reply) bool) reply {
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
			if !strings.Contains(text, `"url":"file:`) {
				b.problems = append(b.problems, r.Method+text)
			}
		}
		if matches(&r) {
			return r
		}
	}
}

// open loads a file and waits until the page is complete.
func (b *browser) open(file, hash string) {
	b.t.Helper()
	b.call("Page.navigate", map[string]any{"url": "about:blank"}, nil)
	b.last++
	require.NoError(b.t, b.socket.WriteJSON(map[string]any{
		"id": b.last, "method": "Page.navigate", "sessionId": b.session, "params": map[string]any{"url": "file://" + file + hash},
	}))
	b.await(func(r *reply) bool { return r.ID == b.last })
	b.until(`document.readyState === "complete" && location.protocol === "file:"`)
}

// until waits until an expression holds.
func (b *browser) until(expression string) {
	b.t.Helper()
	for range 600 {
		var ok bool
		if b.eval(expression, &ok); ok {
			return
		}
		b.eval("new Promise(r => setTimeout(r, 25))", nil)
	}
	require.FailNow(b.t, "never true: "+expression)
}

// eval evaluates an expression in the page.
func (b *browser) eval(expression string, value any) {
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

// press types a key.
func (b *browser) press(key string) {
	b.t.Helper()
	down := map[string]any{"type": "keyDown", "key": key}
	if len(key) == 1 {
		down["text"] = key
	}
	b.call("Input.dispatchKeyEvent", down, nil)
	b.call("Input.dispatchKeyEvent", map[string]any{"type": "keyUp", "key": key}, nil)
}

// view sets the size of the window and the color scheme.
func (b *browser) view(width, height int, scheme string) {
	b.t.Helper()
	b.call("Emulation.setDeviceMetricsOverride", map[string]any{"width": width, "height": height, "deviceScaleFactor": 1, "mobile": width < 600}, nil)
	b.call("Emulation.setEmulatedMedia", map[string]any{"features": []map[string]any{{"name": "prefers-color-scheme", "value": scheme}}}, nil)
}

// picture writes what the window shows.
func (b *browser) picture(file string) {
	b.t.Helper()
	var shot struct{ Data string }
	b.call("Page.captureScreenshot", map[string]any{"format": "png"}, &shot)
	raw, err := base64.StdEncoding.DecodeString(shot.Data)
	require.NoError(b.t, err)
	require.NoError(b.t, os.WriteFile(file, raw, 0o600))
}

// TestLook writes pictures of the report named by CONFAB_REPORT to the folder of CONFAB_PICTURES, for a person to look at.
func TestLook(t *testing.T) {
	report, folder := os.Getenv("CONFAB_REPORT"), os.Getenv("CONFAB_PICTURES")
	if report == "" || folder == "" {
		t.Skip("make report-picture sets CONFAB_REPORT and CONFAB_PICTURES")
	}
	b := startBrowser(t)
	b.view(1100, 860, "light")
	b.open(report, "")
	b.picture(filepath.Join(folder, "picture.png"))
	for _, scheme := range []string{"light", "dark"} {
		for name, size := range map[string][2]int{"wide": {1280, 1000}, "phone": {390, 844}} {
			b.view(size[0], size[1], scheme)
			b.open(report, "")
			b.picture(filepath.Join(folder, fmt.Sprintf("%s-%s.png", name, scheme)))
			b.eval("scrollTo(0, document.querySelector('article').offsetTop - 90)", nil)
			b.picture(filepath.Join(folder, fmt.Sprintf("%s-%s-answers.png", name, scheme)))
		}
	}
	require.Empty(t, b.problems)
}
