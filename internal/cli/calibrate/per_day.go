package calibrate

import (
	"errors"
	"math"
	"strconv"
	"strings"
)

// PerDay is a number of things a day. It implements pflag.Value.
type PerDay float64

// String formats the number with its unit.
func (p *PerDay) String() string { return strconv.FormatFloat(float64(*p), 'f', -1, 64) + "/day" }

// Type is the placeholder in the help.
func (p *PerDay) Type() string { return "N/day" }

// Set reads a number a day ("20", "20/day"), an hour ("2/h") or a week ("50/week").
func (p *PerDay) Set(text string) error {
	number, unit, _ := strings.Cut(strings.TrimSpace(text), "/")
	times, known := map[string]float64{"": 1, "d": 1, "day": 1, "h": 24, "hour": 24, "w": 1. / 7, "week": 1. / 7}[unit]
	n, err := strconv.ParseFloat(strings.TrimSpace(number), 64)
	if err != nil || !known || !(n >= 0) || math.IsInf(n, 0) || strings.HasSuffix(text, "/") {
		return errors.New("write a number a day, 0 or more, such as 20/day, 2/h or 50/week")
	}
	*p = PerDay(n * times)
	return nil
}
