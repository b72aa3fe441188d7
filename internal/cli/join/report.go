package join

import (
	"fmt"
	"strings"
)

// summary says what became of every interaction and every score.
func (j *joinRun) summary() string {
	all := j.labelled[0] + j.labelled[1]
	text := fmt.Sprintf("%d of %d interactions labelled, %d of them faulty; %d have no label\n", all, j.read, j.labelled[1], j.read-j.bad-all)
	if j.pointer == nil {
		var rest []string
		for _, p := range []struct {
			n    int
			what string
		}{
			{j.others, "have another name"},
			{j.skipped, "have no value"},
			{j.repeated, "repeat or yield to another score of the answer"},
			{j.unmatched, "match no interaction"},
		} {
			if p.n > 0 {
				rest = append(rest, fmt.Sprintf("%d %s", p.n, p.what))
			}
		}
		text += fmt.Sprintf("%d scores read", j.files)
		if len(rest) > 0 {
			text += ": " + strings.Join(rest, ", ")
		}
		text += "\n"
	}
	return text + "wrote " + j.o.Out + "\n"
}
