package calibration

import (
	"fmt"
	"regexp"
	"slices"
	"strings"
)

var namedAfterData = regexp.MustCompile(`-([0-9a-f]{8,})$`)

// StalenessWarnings lists reasons why the file may not fit a worker of that version with the learned model of that id:
// one sentence each, with the remedy. The calibration stays usable.
func (c *Calibration) StalenessWarnings(version, model string) []string {
	f := &c.file
	var warnings []string
	warn := func(format string, args ...any) { warnings = append(warnings, fmt.Sprintf(format, args...)) }
	if f.CreatedBy != "" && !slices.Contains(strings.Fields(f.CreatedBy), version) {
		warn("it was written by %q and this is %s: scores may have moved, so tune again with this version", f.CreatedBy, version)
	}
	if f.Model != "" && f.Model != model {
		warn("it was fitted with the learned model %s and %s is in force: put the two files in force together, or tune again with this model", f.Model, model)
	}
	if m := namedAfterData.FindStringSubmatch(f.ID); m != nil && f.Data.Fingerprint != "" && !strings.HasPrefix(f.Data.Fingerprint, m[1]) {
		warn("its id names the data %s and data.fingerprint is %s: it was edited or merged from two files, so write it again with confab tune", m[1], f.Data.Fingerprint)
	}
	return warnings
}
