package model

import (
	"errors"
	"fmt"
	"math"
)

// Trees is a sum of small regression trees over a vector of features: gradient boosting for the logistic loss (Friedman,
// "Greedy function approximation: a gradient boosting machine", 2001), with the regularised second-order gain of Chen and
// Guestrin, "XGBoost" (2016). A missing feature is NaN and takes the branch that training chose for it.
type Trees struct {
	Features []string `json:"features"` // names, in the order of the vector
	Bias     float64  `json:"bias"`     // log-odds before the first tree
	Roots    []int32  `json:"roots"`    // index of each tree's root among the nodes
	Nodes    Nodes    `json:"nodes"`
}

// Node is a split or a leaf. A split sends a vector to the node Left when the feature is below Limit, else to Left + 1.
type Node struct {
	Feature int16 // -1 for a leaf
	Missing int8  // 0 sends a missing feature left, 1 right
	Left    int32
	Limit   float32 // in a leaf: added to the log-odds
}

// Check returns an error when the trees cannot be applied to vectors of the named features: other features or damaged nodes.
// Trees that pass do not panic or loop.
func (t *Trees) Check(features []string) error {
	if len(t.Features) != len(features) {
		return fmt.Errorf("the model has %d features, this version measures %d: use one that was made for this version", len(t.Features), len(features))
	}
	for i, name := range features {
		if t.Features[i] != name {
			return fmt.Errorf("feature %d of the model is %q, this version measures %q: use one that was made for this version", i, t.Features[i], name)
		}
	}
	if !isFinite(t.Bias) {
		return errors.New("the model's bias is not a number")
	}
	for _, r := range t.Roots {
		if r < 0 || int(r) >= len(t.Nodes) {
			return fmt.Errorf("the model has a tree at node %d of %d", r, len(t.Nodes))
		}
	}
	for i := range t.Nodes {
		if err := t.checkNode(i); err != nil {
			return err
		}
	}
	return nil
}

// checkNode returns an error for a damaged node or one with invalid children.
func (t *Trees) checkNode(i int) error {
	n := t.Nodes[i]
	inner := n.Feature >= 0
	switch {
	case !isFinite(float64(n.Limit)) || n.Missing < 0 || n.Missing > 1 || int(n.Feature) >= len(t.Features):
		return fmt.Errorf("node %d of the model is damaged", i)
	case inner && (int(n.Left) <= i || int(n.Left)+1 >= len(t.Nodes)):
		return fmt.Errorf("node %d of the model leads to node %d of %d", i, n.Left, len(t.Nodes))
	}
	return nil
}

// Logistic returns the probability of log-odds.
func Logistic(z float64) float64 { return 1 / (1 + math.Exp(-z)) }

// Logit returns the log-odds of a probability, which is clamped to [1e-6, 1 - 1e-6].
func Logit(p float64) float64 {
	const edge = 1e-6
	p = min(max(p, edge), 1-edge)
	return math.Log(p / (1 - p))
}

func isFinite(x float64) bool { return x-x == 0 }
