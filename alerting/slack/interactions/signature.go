package interactions

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/hex"
	"net/http"
	"strconv"
	"time"
)

const (
	headerSignature = "X-Slack-Signature"
	headerTime      = "X-Slack-Request-Timestamp"
	signatureForm   = "v0"
	maxAge          = 5 * time.Minute // of a signed request, and how far ahead Slack's clock may be
)

// signed is what a request's headers claim.
type signed struct{ timestamp, signature string }

// claim takes the two headers of a request if each is there once and its time is near enough to now. It is asked before
// the body is read: what is too old need not be read.
func claim(header http.Header, now time.Time) (signed, bool) {
	times, signatures := header.Values(headerTime), header.Values(headerSignature)
	if len(times) != 1 || len(signatures) != 1 || len(times[0]) > maxSeconds {
		return signed{}, false
	}
	seconds, err := strconv.ParseInt(times[0], 10, 64)
	if err != nil || now.Sub(time.Unix(seconds, 0)).Abs() > maxAge {
		return signed{}, false
	}
	return signed{timestamp: times[0], signature: signatures[0]}, true
}

// holds reports, in constant time, whether the signature is that of the body at the claimed time. (slack-go's verifier
// reads the real clock.)
func (s signed) holds(secret string, body []byte) bool {
	return hmac.Equal([]byte(sign(secret, s.timestamp, body)), []byte(s.signature))
}

// sign is Slack's signature, version 0.
func sign(secret, timestamp string, body []byte) string {
	mac := hmac.New(sha256.New, []byte(secret))
	_, _ = mac.Write([]byte(signatureForm + ":" + timestamp + ":")) // a hash never fails
	_, _ = mac.Write(body)
	return signatureForm + "=" + hex.EncodeToString(mac.Sum(nil))
}
