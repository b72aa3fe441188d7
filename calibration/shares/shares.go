package shares

import (
	"math"

	"gonum.org/v1/gonum/mathext"
)

// Wilson is the 95 % interval of a share seen in n trials (Wilson, 1927); 0 to 1 without trials.
func Wilson(share, n float64) (low, high float64) {
	if n <= 0 {
		return 0, 1
	}
	const z = 1.959963984540054 // 97.5 % quantile of the normal distribution
	centre := share + z*z/(2*n)
	half := z * math.Sqrt(share*(1-share)/n+z*z/(4*n*n))
	scale := 1 + z*z/n
	return max(0, (centre-half)/scale), min(1, (centre+half)/scale)
}

// JeffreysLow is the lower end of the 95 % interval of a share seen in n trials that is the posterior of Jeffreys' prior (Brown,
// Cai and DasGupta, 2001); 0 without hits or trials. It is less often too high than Wilson's, most of all after one or two hits.
func JeffreysLow(share, n float64) float64 {
	hits := share * n
	if !(hits > 0) || math.IsInf(n, 0) {
		return 0
	}
	return BetaQuantile(hits+0.5, max(0, n-hits)+0.5, 0.025)
}

// BetaQuantile is the value below which a share p of the beta distribution lies; a or b of 0 puts all of it at 0 or 1.
func BetaQuantile(a, b, p float64) float64 {
	switch {
	case !(a > 0):
		return 0
	case !(b > 0):
		return 1
	}
	return mathext.InvRegIncBeta(a, b, p)
}

// Ratio is part/whole, or 0 where whole is 0.
func Ratio(part, whole float64) float64 {
	if whole == 0 {
		return 0
	}
	return part / whole
}

// Indicator is 1 where something is so, else 0.
func Indicator(is bool) float64 {
	if is {
		return 1
	}
	return 0
}
