package livetest

import (
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"
	"go.uber.org/goleak"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// A worker may run several times: each processes what is new.
func TestRun(t *testing.T) {
	s := New(t, nil)
	for n := range 2 {
		s.Produce(t, int32(n), fmt.Sprintf(Ungrounded, fmt.Sprint(n)), fmt.Sprintf(Grounded, "g"))
		s.Run(t)
		require.Len(t, s.Read(t, "llm.incidents"), n+1)
	}
}
