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
	maxAge          = 5 * time.Minute // of a signed request, in both directions
)

// signedHeaders are the headers of a signed request.
type signedHeaders struct{ timestamp, signature string }

// parseSignedHeaders returns the two headers if each is present once and the time is within maxAge of now. It does not
// need the body.
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

// matches reports, in constant time, whether the signature is that of the body at the claimed time. The verifier of
// slack-go is not used because it reads the real clock.
func (s signedHeaders) matches(secret string, body []byte) bool {
	return hmac.Equal([]byte(computeSignature(secret, s.timestamp, body)), []byte(s.signature))
}

// computeSignature returns Slack's signature, version 0.
func computeSignature(secret, timestamp string, body []byte) string {
	mac := hmac.New(sha256.New, []byte(secret))
	_, _ = mac.Write([]byte(signatureForm + ":" + timestamp + ":")) // a hash never fails
	_, _ = mac.Write(body)
	return signatureForm + "=" + hex.EncodeToString(mac.Sum(nil))
}
