package llm

import (
	"encoding/json"
)

const (
	maxCountedTokens = 1e8 // in one reply; more is not credible
	bytesPerToken    = 3   // for estimates; most texts have more
	maxBytesPerToken = 8   // mean of a text; a count that implies more is incomplete
)

// Usage is a number of tokens.
type Usage struct {
	Prompt     int
	Completion int
	Estimated  bool // the server sent no credible count; 3 bytes count as a token
}

func (u Usage) plus(v Usage) Usage {
	return Usage{u.Prompt + v.Prompt, u.Completion + v.Completion, u.Estimated || v.Estimated}
}

func estimate(size int) int { return (size + bytesPerToken - 1) / bytesPerToken }

// statedUsage is the usage that a server reports.
type statedUsage struct {
	Prompt     *float64 `json:"prompt_tokens"`
	Completion *float64 `json:"completion_tokens"`
}

func readUsage(raw json.RawMessage) (c statedUsage) {
	if json.Unmarshal(raw, &c) != nil {
		return statedUsage{}
	}
	return c
}

// orEstimate returns the reported usage if it is plausible for texts of so many bytes, else an estimate.
func (c statedUsage) orEstimate(prompt, completion int) (u Usage) {
	count := func(n *float64, size int) int {
		if n == nil || *n < 0 || *n > maxCountedTokens || *n == 0 && size > 0 {
			u.Estimated = true
			return estimate(size)
		}
		return int(*n)
	}
	u.Prompt = count(c.Prompt, prompt)
	u.Completion = count(c.Completion, completion)
	return u
}
