package model

import (
	"encoding/binary"
	"encoding/json"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/require"
)

var featureNames = []string{"a", "b", "noise"}

// randomTrees are trees of that depth over the features, each with its own way of a missing value.
func randomTrees(features []string, trees, depth int) *Trees {
	rng := rand.New(rand.NewPCG(1, 2))
	t := &Trees{Features: features, Bias: 0.3}
	var grow func(at, left int)
	grow = func(at, left int) {
		if left == 0 || left < depth && rng.IntN(8) == 0 {
			t.Nodes[at] = Node{Feature: -1, Limit: float32(rng.NormFloat64())}
			return
		}
		first := len(t.Nodes)
		t.Nodes = append(t.Nodes, Node{}, Node{})
		t.Nodes[at] = Node{
			Feature: int16(rng.IntN(len(features))), Missing: int8(rng.IntN(2)), Left: int32(first), Limit: float32(rng.NormFloat64()),
		}
		grow(first, left-1)
		grow(first+1, left-1)
	}
	for range trees {
		root := len(t.Nodes)
		t.Roots, t.Nodes = append(t.Roots, int32(root)), append(t.Nodes, Node{})
		grow(root, depth)
	}
	return t
}

// LogOdds is what a [Forest] must return.
func (t *Trees) LogOdds(x []float32) float64 {
	sum := t.Bias
	for _, i := range t.Roots {
		n := &t.Nodes[i]
		for n.Feature >= 0 {
			next := n.Left
			switch v := x[n.Feature]; {
			case v >= n.Limit:
				next++
			case v != v:
				next += int32(n.Missing)
			}
			n = &t.Nodes[next]
		}
		sum += float64(n.Limit)
	}
	return sum
}

// MarshalJSON encodes the nodes.
func (n Nodes) MarshalJSON() ([]byte, error) {
	b := make([]byte, 0, nodeBytes*len(n))
	for _, node := range n {
		b = binary.LittleEndian.AppendUint16(b, uint16(node.Feature))
		b = append(b, byte(node.Missing))
		b = binary.LittleEndian.AppendUint32(b, uint32(node.Left))
		b = binary.LittleEndian.AppendUint32(b, math.Float32bits(node.Limit))
	}
	return json.Marshal(b)
}

func TestCheckRejectsDamage(t *testing.T) {
	good := randomTrees(featureNames, 5, 3)
	require.NoError(t, good.Check(featureNames))
	text, err := json.Marshal(good)
	require.NoError(t, err)
	for name, spoil := range map[string]func(*Trees){
		"features":  func(x *Trees) { x.Features = x.Features[:2] },
		"renamed":   func(x *Trees) { x.Features[0] = "z" },
		"bias":      func(x *Trees) { x.Bias = math.NaN() },
		"root":      func(x *Trees) { x.Roots[0] = 10000 },
		"loop":      func(x *Trees) { x.Nodes[x.Roots[1]].Left = 0 },
		"beyond":    func(x *Trees) { x.Nodes[0].Left = int32(len(x.Nodes)) - 1 },
		"feature":   func(x *Trees) { x.Nodes[0].Feature = 3 },
		"direction": func(x *Trees) { x.Nodes[0].Missing = 2 },
		"leaf":      func(x *Trees) { x.Nodes[len(x.Nodes)-1].Limit = float32(math.Inf(1)) },
	} {
		t.Run(name, func(t *testing.T) {
			var bad Trees
			require.NoError(t, json.Unmarshal(text, &bad))
			require.NoError(t, bad.Check(featureNames))
			spoil(&bad)
			require.Error(t, bad.Check(featureNames))
		})
	}
}
