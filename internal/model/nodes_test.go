package model

import (
	"encoding/json"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestNodesAsJSON(t *testing.T) {
	nodes := Nodes{{Feature: 300, Missing: 1, Left: 70_000, Limit: -0.25}, {Feature: -1, Limit: 1e-7}}
	text, err := json.Marshal(nodes)
	require.NoError(t, err)
	var got Nodes
	require.NoError(t, json.Unmarshal(text, &got))
	require.Equal(t, nodes, got)
	for name, encoded := range map[string]string{"a number": "1", "no base64": `"!"`, "a cut node": `"AAAA"`, "a list of numbers": "[1]"} {
		t.Run(name, func(t *testing.T) {
			var got Nodes
			require.ErrorContains(t, json.Unmarshal([]byte(encoded), &got), "nodes of the model")
		})
	}
}
