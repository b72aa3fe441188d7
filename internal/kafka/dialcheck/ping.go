package dialcheck

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"time"

	"github.com/twmb/franz-go/pkg/kerr"
)

// explainAfter is how long a client waits for an answer before it looks whether one can come at all.
const explainAfter = 3 * time.Second

// ErrLogin means that a broker refused the login.
var ErrLogin = errors.New("the login is refused: check kafka.sasl.mechanism, username and password, or kafka.sasl.oauth")

// mismatchError says why no broker can ever answer a client of these settings.
type mismatchError struct{ text string }

func (e *mismatchError) Error() string { return e.text }

// Ping pings until a broker answers, ctx ends or a look at the ports shows that none can answer. The error says what is
// likely wrong and what to change.
func Ping(ctx context.Context, o Options) error {
	pinging, stop := context.WithCancelCause(ctx)
	var looking sync.WaitGroup
	looking.Go(func() {
		wait := time.NewTimer(explainAfter)
		defer wait.Stop()
		select {
		case <-wait.C:
		case <-pinging.Done():
			return
		}
		if text := mismatch(pinging, o); text != "" {
			stop(&mismatchError{text})
		}
	})
	err := o.Ping(pinging)
	certain, found := errors.AsType[*mismatchError](context.Cause(pinging))
	stop(nil)
	looking.Wait()
	switch {
	case err == nil:
		return nil
	case found:
		return certain
	case errors.Is(ctx.Err(), context.Canceled):
		return err // no time to look
	}
	for _, refused := range []error{kerr.SaslAuthenticationFailed, kerr.UnsupportedSaslMechanism, kerr.IllegalSaslState} {
		if errors.Is(err, refused) {
			return explainRefusal(ctx, o, err)
		}
	}
	return fmt.Errorf("%s: %w", explain(ctx, o, err), err)
}
