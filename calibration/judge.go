package calibration

// Fired appends to dst, for every signal of the row, whether its rule fires under the calibration: this is the one place
// where rows that were measured once are judged again.
func (r *Row) Fired(c *Calibration, dst []bool) []bool {
	for i := range r.Signals {
		s := &r.Signals[i]
		at, armed := c.Threshold(s.Detector, r.Tenant, r.Operation)
		dst = append(dst, s.HasScore && armed && s.Score >= at)
	}
	return dst
}

// Agreeing is how many rules fire on the row under the calibration, and how many detectors could measure it.
func (r *Row) Agreeing(c *Calibration) (fired, able int) {
	var buffer [8]bool
	for i, f := range r.Fired(c, buffer[:0]) {
		if f {
			fired++
		}
		if r.Signals[i].HasScore {
			able++
		}
	}
	return fired, able
}
