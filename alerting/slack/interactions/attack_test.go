package interactions

import (
	"encoding/hex"
	"math"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"confab/alerting/card"
	slacksink "confab/alerting/slack"
)

// attacks alter a valid request into one that Slack did not send, or did not send now.
func attacks() map[string]func(*httpCall) {
	all := map[string]func(*httpCall){
		"no signature":             func(c *httpCall) { c.header.Del(headerSignature) },
		"no time":                  func(c *httpCall) { c.header.Del(headerTime) },
		"no headers":               func(c *httpCall) { c.header.Del(headerTime); c.header.Del(headerSignature) },
		"empty signature":          func(c *httpCall) { c.header.Set(headerSignature, "") },
		"empty time":               func(c *httpCall) { c.header.Set(headerTime, "") },
		"signature of nothing":     func(c *httpCall) { c.header.Set(headerSignature, "v0=") },
		"without a version":        func(c *httpCall) { c.header.Set(headerSignature, c.signature()[3:]) },
		"another version":          func(c *httpCall) { c.header.Set(headerSignature, "v1="+c.signature()[3:]) },
		"version in capitals":      func(c *httpCall) { c.header.Set(headerSignature, "V0="+c.signature()[3:]) },
		"version twice":            func(c *httpCall) { c.header.Set(headerSignature, "v0="+c.signature()) },
		"in capitals":              func(c *httpCall) { c.header.Set(headerSignature, "v0="+strings.ToUpper(c.signature()[3:])) },
		"cut by a digit":           func(c *httpCall) { c.header.Set(headerSignature, c.signature()[:66]) },
		"cut by half":              func(c *httpCall) { c.header.Set(headerSignature, c.signature()[:35]) },
		"a digit longer":           func(c *httpCall) { c.header.Set(headerSignature, c.signature()+"0") },
		"a list of signatures":     func(c *httpCall) { c.header.Set(headerSignature, c.signature()+","+c.signature()) },
		"white space behind":       func(c *httpCall) { c.header.Set(headerSignature, c.signature()+" ") },
		"white space before":       func(c *httpCall) { c.header.Set(headerSignature, " "+c.signature()) },
		"all zeros":                func(c *httpCall) { c.header.Set(headerSignature, "v0="+strings.Repeat("0", 64)) },
		"no hexadecimal":           func(c *httpCall) { c.header.Set(headerSignature, "v0="+strings.Repeat("z", 64)) },
		"NULs":                     func(c *httpCall) { c.header.Set(headerSignature, "v0="+strings.Repeat("\x00", 64)) },
		"another algorithm":        func(c *httpCall) { c.header.Set(headerSignature, "sha256="+c.signature()[3:]) },
		"huge signature":           func(c *httpCall) { c.header.Set(headerSignature, "v0="+strings.Repeat("a", 100_000)) },
		"base64":                   func(c *httpCall) { c.header.Set(headerSignature, "v0=ohFNV7SOrDm5rRid2DFiNae0qNIaEL0nUZZmSJxptQM=") },
		"two signatures":           func(c *httpCall) { c.header.Add(headerSignature, "v0="+strings.Repeat("0", 64)) },
		"the same signature twice": func(c *httpCall) { c.header.Add(headerSignature, c.signature()) },
		"a false one before it":    func(c *httpCall) { c.header[headerSignature] = []string{"v0=00", c.signature()} },
		"two times":                func(c *httpCall) { c.header.Add(headerTime, c.header.Get(headerTime)) },
		"signature under a name like it": func(c *httpCall) {
			c.header.Set("X-Slack-Signature-V0", c.signature())
			c.header.Del(headerSignature)
		},
		"in the body":  func(c *httpCall) { c.body += "&X-Slack-Signature=" + c.signature(); c.header.Del(headerSignature) },
		"in the query": func(c *httpCall) { c.path += "?signature=" + c.signature(); c.header.Del(headerSignature) },

		"empty body":          func(c *httpCall) { c.body = "" },
		"body cut":            func(c *httpCall) { c.body = c.body[:len(c.body)-1] },
		"body longer":         func(c *httpCall) { c.body += "&" },
		"line break behind":   func(c *httpCall) { c.body += "\n" },
		"another incident":    func(c *httpCall) { c.body = strings.Replace(c.body, "3f1c0c8d", "4f1c0c8d", 1) },
		"another verdict":     func(c *httpCall) { c.body = strings.ReplaceAll(c.body, "confab_confirm", "confab_false_positive") },
		"another person":      func(c *httpCall) { c.body = strings.ReplaceAll(c.body, user, "U999") },
		"another time":        func(c *httpCall) { c.body = strings.ReplaceAll(c.body, clickTime, "1795251780.000201") },
		"another channel":     func(c *httpCall) { c.body = strings.ReplaceAll(c.body, "C042", "C043") },
		"a second payload":    func(c *httpCall) { c.body += "&payload=" + url.QueryEscape(newClick(slacksink.ActionSilence).json()) },
		"a payload before it": func(c *httpCall) { c.body = "payload=%7B%7D&" + c.body },
		"unescaped":           func(c *httpCall) { c.body, _ = url.QueryUnescape(c.body) },
		"escaped otherwise":   func(c *httpCall) { c.body = strings.ReplaceAll(c.body, "+", "%20") },
		"other capitals":      func(c *httpCall) { c.body = strings.ReplaceAll(c.body, "%7B", "%7b") },
		"a byte order mark":   func(c *httpCall) { c.body = "\ufeff" + c.body },
		"time in the body":    func(c *httpCall) { c.body = c.header.Get(headerTime) + ":" + c.body },
		"the parts moved": func(c *httpCall) {
			ts := c.header.Get(headerTime)
			c.header.Set(headerTime, ts[:9])
			c.body = ts[9:] + c.body
		},
		"only JSON": func(c *httpCall) { c.body = newClick(slacksink.ActionConfirm).json() },

		"a second later":      func(c *httpCall) { c.header.Set(headerTime, unixSeconds(noon.Add(time.Second))) },
		"a second earlier":    func(c *httpCall) { c.header.Set(headerTime, unixSeconds(noon.Add(-time.Second))) },
		"zeros before":        func(c *httpCall) { c.header.Set(headerTime, "0"+c.header.Get(headerTime)) },
		"a plus before":       func(c *httpCall) { c.header.Set(headerTime, "+"+c.header.Get(headerTime)) },
		"a space before":      func(c *httpCall) { c.header.Set(headerTime, " "+c.header.Get(headerTime)) },
		"milliseconds":        func(c *httpCall) { c.header.Set(headerTime, c.header.Get(headerTime)+"000") },
		"a fraction":          func(c *httpCall) { c.header.Set(headerTime, c.header.Get(headerTime)+".0") },
		"an exponent":         func(c *httpCall) { c.header.Set(headerTime, "1.7952624e9") },
		"hexadecimal time":    func(c *httpCall) { c.header.Set(headerTime, "0x6b018ec0") },
		"a date":              func(c *httpCall) { c.header.Set(headerTime, noon.Format(http.TimeFormat)) },
		"time of words":       func(c *httpCall) { c.header.Set(headerTime, "now") },
		"Arabic digits":       func(c *httpCall) { c.header.Set(headerTime, "١٧٩٥٢٦٢٤٠٠") },
		"a colon in the time": func(c *httpCall) { c.header.Set(headerTime, c.header.Get(headerTime)+":") },
	}
	// Signed with the right secret, at the wrong time: replayed requests.
	for name, at := range map[string]string{
		"recorded five minutes ago": unixSeconds(noon.Add(-maxAge - time.Second)), "recorded an hour ago": unixSeconds(noon.Add(-time.Hour)),
		"recorded a year ago": unixSeconds(noon.AddDate(-1, 0, 0)), "of the epoch": "0", "before the epoch": "-1795262400",
		"five minutes ahead": unixSeconds(noon.Add(maxAge + time.Second)), "a year ahead": unixSeconds(noon.AddDate(1, 0, 0)),
		"of the last second": strconv.FormatInt(math.MaxInt64, 10), "beyond numbers": strings.Repeat("9", 40),
		"of the first second": strconv.FormatInt(math.MinInt64, 10), "with zeros": "0" + unixSeconds(noon), "with a plus": "+" + unixSeconds(noon),
	} {
		all["signed, "+name] = func(c *httpCall) { *c = signedCall(at, c.body) }
	}
	// Signed now, with another secret.
	for name, secret := range map[string]string{
		"no secret": "", "the secret in capitals": strings.ToUpper(signingSecret), "the secret cut": signingSecret[:31],
		"the secret and more": signingSecret + "0", "a NUL behind the secret": signingSecret + "\x00a", "the bytes of the secret": decodeHex(signingSecret),
		"another app's secret": "0123456789abcdef0123456789abcdef", "the mask of the secret": "********",
	} {
		all["signed with "+name] = func(c *httpCall) {
			c.header.Set(headerSignature, computeSignature(secret, c.header.Get(headerTime), []byte(c.body)))
		}
	}
	return all
}

func (c *httpCall) signature() string { return c.header.Get(headerSignature) }

func unixSeconds(at time.Time) string { return strconv.FormatInt(at.Unix(), 10) }

func decodeHex(s string) string {
	raw, _ := hex.DecodeString(s) // up to the first invalid digit
	return string(raw)
}

// Forged, altered and replayed requests give no label, silence or edit, and the same answer.
func TestAttacksAreRejected(t *testing.T) {
	all := attacks()
	require.GreaterOrEqual(t, len(all), 60)
	for name, attack := range all {
		t.Run(name, func(t *testing.T) {
			b := newRecorder()
			i := b.interactions(t)
			c := slackCalls(noon, newClick(slacksink.ActionConfirm).json())
			require.Equal(t, http.StatusOK, c.to(t, i).Code, "it begins as a valid request")
			records, edits := len(b.records), len(b.edits)
			attack(&c)
			w := c.to(t, i)
			require.Equal(t, http.StatusUnauthorized, w.Code)
			require.Empty(t, w.Body.String())
			require.Len(t, b.records, records)
			require.Len(t, b.edits, edits)
			require.InDelta(t, 1, b.clicks(unknownAction, outcomeUnauthorized), 0)
		})
	}
}

// smallCall is a signed click that is as short as one can be: the fuzzer minimizes an input in a time that grows with the square
// of its length.
func smallCall() httpCall {
	value := card.ButtonValue{Incident: incident}.String()
	return signedCall(unixSeconds(noon), `payload={"type":"block_actions","user":{"id":"U1"},"actions":[{"action_id":"confab_confirm","value":`+
		string(quoteJSON(value))+`,"action_ts":"`+clickTime+`"}]}`)
}

// FuzzInteraction: unsigned requests have no effect, and every signed request is answered, when repeated with the same records.
func FuzzInteraction(f *testing.F) {
	for _, attack := range attacks() {
		c := smallCall()
		attack(&c)
		if len(c.signature()) < 1000 {
			f.Add(c.header.Get(headerTime), c.signature(), c.body)
		}
	}
	good := smallCall()
	f.Add(good.header.Get(headerTime), good.signature(), good.body)
	f.Add("0", "v0=", "")
	f.Add("1795262400", "v0=", `payload={"type":"block_actions","actions":[null,{}],"message":{"blocks":[{"type":"?"}]}}`)
	b := newRecorder()
	i := b.interactions(f)
	send := func(t *testing.T, c httpCall) (int, []string) {
		b.records, b.edits = nil, nil
		b.lines.Reset()
		return c.to(t, i).Code, b.records
	}
	f.Fuzz(func(t *testing.T, timestamp, signature, body string) {
		c := signedCall(timestamp, body)
		valid := c.signature()
		c.header.Set(headerSignature, signature)
		if signature != valid {
			code, records := send(t, c)
			require.Equal(t, http.StatusUnauthorized, code)
			require.Empty(t, records)
		}
		c = signedCall(unixSeconds(noon), body)
		code, first := send(t, c)
		require.Contains(t, []int{http.StatusOK, http.StatusBadRequest}, code)
		_, again := send(t, c)
		require.Equal(t, first, again, "the same request is the same records")
	})
}
