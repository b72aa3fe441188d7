package records

import (
	"testing"

	"github.com/stretchr/testify/require"
)

// What a map names and no record has is named, up to the member that is missing.
func TestMapMembers(t *testing.T) {
	m := newMapMembers(map[string]string{
		"answer": "/reply", "sources": "id=name text=/body /rag/hitz", "messages": "role=system /system + /ask", "model": "/meta/llm | /model",
		"occurred_at": "/t/last:k=v/at", "service": "none", "interaction": "whole",
	})
	require.Empty(t, m.describe())
	m.look([]byte(`{"reply":"a","rag":{"hits":[]},"ask":"q","meta":{},"t":[{"k":"w","at":1}]}`))
	require.Equal(t, "; no record has /meta/llm (model), /t/last:k=v (occurred_at), /rag/hitz (sources)", m.describe())
	m.look([]byte(`{"model":"m","t":[{"k":"v","at":1}]}`))
	require.Equal(t, "; no record has /rag/hitz (sources)", m.describe())
}
