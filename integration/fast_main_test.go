//go:build !integration

package integration

import (
	"testing"

	"go.uber.org/goleak"
)

func TestMain(m *testing.M) {
	DrawSeed()
	goleak.VerifyTestMain(m)
}
