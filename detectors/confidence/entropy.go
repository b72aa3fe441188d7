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

// MeasureUncertainty computes the statistics of the token log-probabilities, averaging over window (1 to 16) tokens for the
// peak. NaN, infinite and missing values are skipped, values outside [-100, 0] are clamped. The chosen token counts as an
// alternative when its own top-k lacks it.
func MeasureUncertainty(l schemas.Logprobs, window int) Uncertainty {
	window = min(max(window, 1), maxWindow)
	var recent [maxWindow]struct {
		entropy float64
		row     int
	}
	rows := l.Rows()
	u := Uncertainty{Truncated: rows > maxTokens}
	total := 0.0
	for i := range min(rows, maxTokens) {
		row := l.Row(i)
		if chosen, ok := clampLogprob(row[0]); ok {
			if l := float64(chosen); l < u.MinLogprob {
				u.MinLogprob, u.MinRow = l, i
			}
		}
		h, ok := rowEntropy(row)
		if !ok {
			continue
		}
		recent[u.Tokens%window].entropy, recent[u.Tokens%window].row = h, i
		total += h
		u.Tokens++
		if u.Tokens < window {
			continue
		}
		sum := 0.0
		for k := range recent[:window] {
			sum += recent[k].entropy
		}
		if mean := sum / float64(window); mean > u.Peak || u.Tokens == window {
			oldest := recent[u.Tokens%window].row
			u.Peak, u.PeakFirst, u.PeakLast = mean, oldest, i
		}
	}
	if u.Tokens == 0 {
		return u
	}
	u.Mean = total / float64(u.Tokens)
	if u.Tokens < window {
		u.Peak, u.PeakFirst, u.PeakLast = u.Mean, recent[0].row, recent[u.Tokens-1].row
	}
	return u
}

// rowEntropy returns the Shannon entropy, in nats, of a row's alternatives renormalised to one; false when fewer than two
// are known. With e = exp(l) and S their sum it is ln S - Σ e l / S: one logarithm a row.
func rowEntropy(row []float32) (float64, bool) {
	sum, weighted, known := sumExponentials(row, 0)
	if known < 2 {
		return 0, false
	}
	if sum < 1e-30 { // too small for float32; only the ratios matter
		sum, weighted, _ = sumExponentials(row, highestLogprob(row))
	}
	h := fastLog(float64(sum)) - float64(weighted)/float64(sum)
	return max(h, 0), true
}

// sumExponentials sums exp(l - shift) and exp(l - shift) (l - shift) over the alternatives that are known.
func sumExponentials(row []float32, shift float32) (sum, weighted float32, known int) {
	chosen, missing := clampLogprob(row[0])
	for _, v := range row[1:] {
		l, ok := clampLogprob(v)
		if !ok {
			continue
		}
		known++
		if l == chosen {
			missing = false
		}
		e := exp32(l - shift)
		sum += e
		weighted += e * (l - shift)
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
	n := float32(int32(x*log2e - 0.5)) // nearest, for x ≤ 0
	r := x - n*ln2Hi - n*ln2Lo
	p := 1 + r*(1+r*(1.0/2+r*(1.0/6+r*(1.0/24+r*(1.0/120+r*(1.0/720))))))
	return p * math.Float32frombits(uint32(int32(n)+127)<<23)
}

// fastLog returns the natural logarithm of a positive normal number with an error below 1e-8: the exponent plus the first
// terms of ln m = 2 artanh((m - 1) / (m + 1)) for m between √½ and √2.
func fastLog(x float64) float64 {
	b := math.Float64bits(x)
	exponent := int(b>>52) - 1023
	m := math.Float64frombits(b&(1<<52-1) | 1023<<52)
	if m > math.Sqrt2 {
		m /= 2
		exponent++
	}
	s := (m - 1) / (m + 1)
	q := s * s
	return float64(exponent)*math.Ln2 + 2*s*(1+q*(1.0/3+q*(1.0/5+q*(1.0/7+q*(1.0/9)))))
}
