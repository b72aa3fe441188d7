package consumer

import (
	"context"
	"errors"
	"testing"

	"github.com/stretchr/testify/require"
	"github.com/twmb/franz-go/pkg/kgo"
)

// A note or an end with an unknown result may still take effect. Until there is a new member nothing else is committed: the
// note repeats the offset before a transaction, and would undo it.
func TestNothingIsCommittedAfterAnUnknownResult(t *testing.T) {
	s := &session[string]{}
	s.ctx, s.end = context.WithCancelCause(t.Context())
	require.NoError(t, s.lost())
	require.ErrorIs(t, s.lose(errors.New("no answer")), errUnknown)
	require.ErrorIs(t, s.commit(nil), errUnknown)
	require.ErrorIs(t, s.commitMarks(t.Context(), watermarks{&assignment{}: {}}), errUnknown)

	s.ctx, s.end = context.WithCancelCause(t.Context())
	s.end(kgo.ErrClientClosed)
	require.NoError(t, s.lost(), "an orderly stop commits the batch in work")
}
