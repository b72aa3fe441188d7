package confidence

import (
	"math"

	"confab/schemas"
)

const minLogprob = -100 // lower values are clamped

// Uncertainty holds statistics of an answer's token log-probabilities.
type Uncertainty struct {
	Tokens     int     // tokens with at least two known alternatives; others have no entropy
	Mean       float64 // entropy per token, nats
	Peak       float64 // the highest entropy averaged over the window, nats
	PeakFirst  int     // first and last row of that window
	PeakLast   int
	MinLogprob float64 // lowest of a chosen token
	MinRow     int     // its row
	Truncated  bool    // rows beyond the limit were not read
}

// rowSums are the sums of a row (see sumExponentials), then its entropy.
type rowSums struct {
	row           int
	sum, weighted float32
	entropy       float64
}

// blockRows is how many rows are measured together: entropies are long chains of operations that do not depend on each other.
const blockRows = 16

// MeasureUncertainty computes the statistics of the token log-probabilities, averaging over window (1 to 16) tokens for the
// peak. NaN, infinite and missing values are skipped, values outside [-100, 0] are clamped. The chosen token counts as an
// alternative when its own top-k lacks it.
func MeasureUncertainty(l schemas.Logprobs, window int) Uncertainty {
	rows := l.Rows()
	u := Uncertainty{Truncated: rows > maxTokens}
	peak := slidingMean{window: min(max(window, 1), maxWindow)}
	total := 0.0
	var buffer [blockRows]rowSums
	for i := 0; i < min(rows, maxTokens); {
		block := buffer[:0]
		for ; i < min(rows, maxTokens) && len(block) < blockRows; i++ {
			row := l.Row(i)
			if chosen, ok := clampLogprob(row[0]); ok {
				if l := float64(chosen); l < u.MinLogprob {
					u.MinLogprob, u.MinRow = l, i
				}
			}
			if sums, ok := sumRow(row); ok {
				sums.row = i
				block = append(block, sums)
			}
		}
		for k := range block {
			block[k].fillEntropy()
		}
		for k := range block {
			total += block[k].entropy
			peak.add(&block[k])
		}
	}
	u.Tokens = peak.rows
	if u.Tokens == 0 {
		return u
	}
	u.Mean = total / float64(u.Tokens)
	u.Peak, u.PeakFirst, u.PeakLast = peak.highest, peak.first, peak.last
	if u.Tokens < peak.window {
		u.Peak, u.PeakFirst, u.PeakLast = u.Mean, peak.recent[0].row, peak.recent[u.Tokens-1].row
	}
	return u
}

// slidingMean finds the window of rows with the highest mean entropy.
type slidingMean struct {
	recent      [maxWindow]rowSums
	window      int // rows
	rows        int // read so far
	at          int // of recent: the next entry, which is the oldest once the window is full
	highest     float64
	first, last int // rows of the highest window
}

func (m *slidingMean) add(r *rowSums) {
	if m.window == 1 { // the default: the row is its window
		if m.rows++; r.entropy > m.highest || m.rows == 1 {
			m.highest, m.first, m.last = r.entropy, r.row, r.row
		}
		return
	}
	m.recent[m.at] = *r
	if m.at++; m.at == m.window {
		m.at = 0
	}
	if m.rows++; m.rows < m.window {
		return
	}
	sum := 0.0
	for k := range m.recent[:m.window] {
		sum += m.recent[k].entropy
	}
	if mean := sum / float64(m.window); mean > m.highest || m.rows == m.window {
		m.highest, m.first, m.last = mean, m.recent[m.at].row, r.row
	}
}

// sumRow returns the sums of a row; false when fewer than two alternatives are known.
func sumRow(row []float32) (r rowSums, ok bool) {
	var known int
	r.sum, r.weighted, known = sumExponentials(row, 0)
	if r.sum < 1e-30 && known >= 2 { // too small for float32; only the ratios matter
		r.sum, r.weighted, _ = sumExponentials(row, highestLogprob(row))
	}
	return r, known >= 2
}

// fillEntropy sets the Shannon entropy, in nats, of the row's alternatives renormalised to one. With e = exp(l) and S their
// sum it is ln S - Σ e l / S: one logarithm a row.
func (r *rowSums) fillEntropy() {
	r.entropy = max(0, fastLog(float64(r.sum))-float64(r.weighted)/float64(r.sum))
}

// sumExponentials sums exp(l - shift) and exp(l - shift) (l - shift) over the alternatives that are known.
func sumExponentials(row []float32, shift float32) (sum, weighted float32, known int) {
	chosen, missing := clampLogprob(row[0])
	for _, v := range row[1:] {
		if v > 0 || !(v >= minLogprob) { // rare, also NaN
			var ok bool
			if v, ok = clampLogprob(v); !ok {
				continue
			}
		}
		known++
		if v == chosen {
			missing = false
		}
		v -= shift
		e := exp32(v)
		sum += e
		weighted += e * v
	}
	if missing {
		known++
		e := exp32(chosen - shift)
		sum += e
		weighted += e * (chosen - shift)
	}
	return sum, weighted, known
}

func highestLogprob(row []float32) float32 {
	h := float32(minLogprob)
	for _, v := range row {
		if l, ok := clampLogprob(v); ok && l > h {
			h = l
		}
	}
	return h
}

// clampLogprob clamps v to [-100, 0]; false for NaN and infinite values.
func clampLogprob(v float32) (float32, bool) {
	switch {
	case v <= 0 && v >= minLogprob:
		return v, true
	case v > 0 && v <= math.MaxFloat32:
		return 0, true
	case v < minLogprob && v >= -math.MaxFloat32:
		return minLogprob, true
	}
	return 0, false // NaN or infinite
}

// exp32 returns e^x for x in [-100, 0] with a relative error below 3e-7, and 0 below -87: a power of two times the first
// terms of the Taylor series of the remainder.
func exp32(x float32) float32 {
	const (
		log2e = 1.44269504088896341
		ln2Hi = 0.693359375 // exact in 9 bits, so that n·ln2Hi is exact too
		ln2Lo = -2.12194440e-4
	)
	if x < -87 {
		return 0
	}
	power := int32(x*log2e - 0.5) // nearest, for x ≤ 0
	n := float32(power)
	r := x - n*ln2Hi - n*ln2Lo
	p := 1 + r*(1+r*(1.0/2+r*(1.0/6+r*(1.0/24+r*(1.0/120+r*(1.0/720))))))
	return p * math.Float32frombits(uint32(power+127)<<23)
}

// fastLog returns the natural logarithm of a positive normal number with an error below 1e-8: the exponent plus the first
// terms of ln m = 2 artanh((m - 1) / (m + 1)) for m between √½ and √2.
func fastLog(x float64) float64 {
	b := math.Float64bits(x)
	above := b - (math.Float64bits(math.Sqrt2/2) + 1) // an exponent with m in its range, without a branch
	exponent := int64(above) >> 52
	m := math.Float64frombits(b - uint64(exponent)<<52)
	s := (m - 1) / (m + 1)
	q := s * s
	return float64(exponent)*math.Ln2 + 2*s*(1+q*(1.0/3+q*(1.0/5+q*(1.0/7+q*(1.0/9)))))
}
