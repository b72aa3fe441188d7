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

// signedHeaders is what a request's headers claim.
type signedHeaders struct{ timestamp, signature string }

// parseSignedHeaders takes the two headers of a request if each is there once and its time is near enough to now. It is asked before
// the body is read: what is too old need not be read.
func parseSignedHeaders(header http.Header, now time.Time) (signedHeaders, bool) {
	times, signatures := header.Values(headerTime), header.Values(headerSignature)
	if len(times) != 1 || len(signatures) != 1 || len(times[0]) > maxSeconds {
		return signedHeaders{}, false
	}
	seconds, err := strconv.ParseInt(times[0], 10, 64)
	if err != nil || now.Sub(time.Unix(seconds, 0)).Abs() > maxAge {
		return signedHeaders{}, false
	}
	return signedHeaders{timestamp: times[0], signature: signatures[0]}, true
}

// matches reports, in constant time, whether the signature is that of the body at the claimed time. (slack-go's verifier
// reads the real clock.)
func (s signedHeaders) matches(secret string, body []byte) bool {
	return hmac.Equal([]byte(computeSignature(secret, s.timestamp, body)), []byte(s.signature))
}

// computeSignature is Slack's signature, version 0.
func computeSignature(secret, timestamp string, body []byte) string {
	mac := hmac.New(sha256.New, []byte(secret))
	_, _ = mac.Write([]byte(signatureForm + ":" + timestamp + ":")) // a hash never fails
	_, _ = mac.Write(body)
	return signatureForm + "=" + hex.EncodeToString(mac.Sum(nil))
}
