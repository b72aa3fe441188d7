package records

import (
	"cmp"
	"os"
	"regexp"

	"confab/internal/worker/recordshape"
	"confab/schemas"
	"confab/schemas/json"
)

// openDate is a date with the day or the month first, and the number above 12 that is a day.
var openDate = regexp.MustCompile(`^(?:(1[3-9]|[23]\d)|\d\d?)[/-](?:(1[3-9]|[23]\d)|\d\d?)[/-]\d{4}\b`)

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
	dates, dmy, mdy := 0, false, false
	lines, err := recordshape.NewRecords(file, json.MaxLabelledBytes, path, nil)
	for n := 0; err == nil && (n < begin || dates > 0); n++ {
		var row schemas.Labelled
		var line []byte
		if line, err = lines.Next(); mapped {
			_ = f.values.Decode(line, &row.Interaction)
		} else {
			_ = recordshape.DecodeLabelled(line, &row)
		}
		if date := openDate.FindStringSubmatch(row.Interaction.UnreadTime); date != nil {
			dates, dmy, mdy = dates+1, dmy || date[1] != "", mdy || date[2] != ""
		}
	}
	if dmy != mdy {
		f.order = map[bool]string{true: "dmy", false: "mdy"}[dmy]
	}
}

// ReadTime sets a time without a zone, or one whose order of day and month the file tells. Its field stays malformed.
func (f *FileInput) ReadTime(in *schemas.Interaction) {
	if in.OccurredAt.IsZero() {
		in.UnreadOrder = cmp.Or(in.UnreadOrder, f.order)
		recordshape.ReadTime(in)
	}
}
