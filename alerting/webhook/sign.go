package webhook

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/base64"
	"fmt"
	"strconv"
	"strings"
	"time"

	"confab/internal/redact"
)

const (
	secretPrefix = "whsec_"
	minSecret    = 24 // bytes, as the specification says
	maxSecret    = 64
)

// signer signs requests with every secret, so that a receiver may know the old or the new one during a rotation.
type signer struct {
	keys func() [][]byte // a function, so that printing the value shows no secret
}

// newSigner parses secrets with white space between. source names their setting in errors.
func newSigner(secrets redact.Secret, source string) (signer, error) {
	var keys [][]byte
	for i, text := range strings.Fields(secrets.Reveal()) {
		encoded, prefixed := strings.CutPrefix(text, secretPrefix)
		key, err := base64.StdEncoding.DecodeString(encoded)
		if !prefixed || err != nil || len(key) < minSecret || len(key) > maxSecret {
			return signer{}, fmt.Errorf("%s: secret number %d is not whsec_ and then %d to %d bytes in base64; make one with: echo whsec_$(openssl rand -base64 32)",
				source, i+1, minSecret, maxSecret)
		}
		keys = append(keys, key)
	}
	return signer{func() [][]byte { return keys }}, nil
}

// sign returns the value of webhook-signature; "" without secrets.
func (s signer) sign(id string, at time.Time, body []byte) string {
	var signatures []string
	for _, key := range s.keys() {
		mac := hmac.New(sha256.New, key)
		mac.Write([]byte(id + "." + strconv.FormatInt(at.Unix(), 10) + "."))
		mac.Write(body)
		signatures = append(signatures, "v1,"+base64.StdEncoding.EncodeToString(mac.Sum(nil)))
	}
	return strings.Join(signatures, " ")
}
