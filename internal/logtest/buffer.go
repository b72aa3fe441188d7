// Package logtest provides a log buffer that tests can read while it is written.
package logtest

import (
	"strings"
	"sync"
)

// Buffer is an io.Writer that keeps what is written. It is safe for concurrent use; its zero value is empty.
type Buffer struct {
	mu   sync.Mutex
	text strings.Builder
}

// Write appends p; it does not fail.
func (b *Buffer) Write(p []byte) (int, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.text.Write(p)
}

// String returns everything written so far.
func (b *Buffer) String() string {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.text.String()
}

// Count returns how often substr occurs in everything written so far.
func (b *Buffer) Count(substr string) int { return strings.Count(b.String(), substr) }
