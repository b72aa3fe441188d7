package records

import (
	"cmp"
	"os"
	"regexp"

	"confab/internal/worker/recordshape"
	"confab/schemas"
	"confab/schemas/json"
)

// openDate is a date that may have the day or the month first.
var openDate = regexp.MustCompile(`^(\d{1,2})[/-](\d{1,2})[/-]\d{4}\b`)

// LearnOrder learns from a file whether its dates have the day or the month first: a number above 12 tells it, unless another date
// says otherwise. mapped says that the input's map reads its lines. A file without such dates at its beginning is not read on.
func (f *FileInput) LearnOrder(path string, mapped bool) {
	const begin = 20
	if info, err := os.Stat(path); err != nil || !info.Mode().IsRegular() || f.spans != nil {
		return
	}
	file, err := os.Open(path)
	if err != nil {
		return // who reads it next reports it
	}
	defer file.Close()
	dates, days, months := 0, 0, 0
	lines, err := recordshape.NewRecords(file, json.MaxLabelledBytes, path, nil)
	for n := 0; err == nil && (n < begin || dates > 0); n++ {
		var row schemas.Labelled
		var line []byte
		if line, err = lines.Next(); mapped {
			_ = f.values.Decode(line, &row.Interaction)
		} else {
			_ = recordshape.DecodeLabelled(line, &row)
		}
		if date := openDate.FindStringSubmatch(row.Interaction.UnreadTime); date != nil && row.Interaction.UnreadOrder == "" {
			dates++
			if len(date[1]) == 2 && date[1] > "12" {
				days++
			}
			if len(date[2]) == 2 && date[2] > "12" {
				months++
			}
		}
	}
	switch {
	case days > 0 && months == 0:
		f.order = "dmy"
	case months > 0 && days == 0:
		f.order = "mdy"
	}
}

// ReadTime sets a time without a zone, or one whose order of day and month the file tells. Its field stays malformed.
func (f *FileInput) ReadTime(in *schemas.Interaction) {
	if in.OccurredAt.IsZero() {
		in.UnreadOrder = cmp.Or(in.UnreadOrder, f.order)
		recordshape.ReadTime(in)
	}
}
