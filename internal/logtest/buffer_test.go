package logtest

import (
	"fmt"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestBuffer(t *testing.T) {
	var b Buffer
	require.Empty(t, b.String())
	var writers sync.WaitGroup
	for range 4 {
		writers.Go(func() {
			for range 100 {
				fmt.Fprintln(&b, "line")
				_ = b.Count("line")
			}
		})
	}
	writers.Wait()
	require.Equal(t, 400, b.Count("line\n"))
	require.Len(t, b.String(), 2000)
}
