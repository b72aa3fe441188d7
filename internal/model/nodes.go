package model

import (
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"math"
)

// Nodes are the nodes of trees. In JSON they are one base64 text of nodeBytes per node.
type Nodes []Node

// nodeBytes is the size of an encoded node: feature, direction of missing values, left child and limit, little-endian.
const nodeBytes = 2 + 1 + 4 + 4

// UnmarshalJSON decodes the nodes.
func (n *Nodes) UnmarshalJSON(text []byte) error {
	var b []byte
	if err := json.Unmarshal(text, &b); err != nil {
		return fmt.Errorf("nodes of the model: %w", err)
	}
	if len(b)%nodeBytes != 0 {
		return errors.New("nodes of the model: the last node is cut off")
	}
	*n = make(Nodes, 0, len(b)/nodeBytes)
	for ; len(b) > 0; b = b[nodeBytes:] {
		*n = append(*n, Node{
			Feature: int16(binary.LittleEndian.Uint16(b)), Missing: int8(b[2]),
			Left: int32(binary.LittleEndian.Uint32(b[3:])), Limit: math.Float32frombits(binary.LittleEndian.Uint32(b[7:])),
		})
	}
	return nil
}
