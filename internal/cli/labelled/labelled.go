package labelled

import (
	"fmt"

	"confab/calibration/thresholds"
	"confab/schemas"
)

// CheckRows rejects rows that a model cannot be fitted to.
func CheckRows(rows []schemas.Labelled) error {
	bad := CountPositive(rows)
	switch {
	case len(rows) < minFitRows:
		return fmt.Errorf("%w: %d rows are too few to fit a model to: label at least %d; some thousand are better", thresholds.ErrLabels, len(rows), minFitRows)
	case bad == 0:
		return fmt.Errorf("%w: all %d rows are labelled 0 (fine): label some bad answers too", thresholds.ErrLabels, len(rows))
	case bad == len(rows):
		return fmt.Errorf("%w: all %d rows are labelled 1 (bad): label some good answers too", thresholds.ErrLabels, len(rows))
	}
	return nil
}

// minFitRows is the least number of rows for a fit.
const minFitRows = 50

// CountPositive is the number of rows that are labelled as bad.
func CountPositive(rows []schemas.Labelled) (n int) {
	for i := range rows {
		n += rows[i].Label
	}
	return n
}
