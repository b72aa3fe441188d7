package login

import (
	"context"

	"github.com/twmb/franz-go/pkg/sasl"
)

// bearer is OAUTHBEARER of the library, which takes a broker's refusal for a faulty answer.
type bearer struct{ sasl.Mechanism }

// Authenticate implements sasl.Mechanism.
func (b bearer) Authenticate(ctx context.Context, host string) (sasl.Session, []byte, error) {
	session, first, err := b.Mechanism.Authenticate(ctx, host)
	return &bearerSession{Session: session}, first, err
}

type bearerSession struct {
	sasl.Session
	refused bool // the refusal has been answered
}

// Challenge answers a refusal as RFC 7628 requires, section 3.2.3. The broker then says SASL_AUTHENTICATION_FAILED.
func (b *bearerSession) Challenge(reply []byte) (done bool, answer []byte, err error) {
	if len(reply) > 0 && !b.refused {
		b.refused = true
		return false, []byte{1}, nil
	}
	return b.Session.Challenge(reply)
}
