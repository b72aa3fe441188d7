package tune

import (
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/hex"
	stdjson "encoding/json"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"

	"confab/internal/cli/labelled"
	"confab/internal/files"
	"confab/schemas"
	"confab/schemas/json"
)

// writeRows writes the labelled answers of the log as rows, which evaluate reads too.
func (f *fitRun) writeRows(ctx context.Context, index *answerIndex) error {
	if f.o.Rows == "" {
		return nil
	}
	_, err := files.WriteAtomic(f.o.Rows, func(w io.Writer) error {
		rows := stdjson.NewEncoder(w)
		rows.SetEscapeHTML(false)
		_, _, err := f.o.Log.EachLine(func(l *labelled.InteractionLine) error {
			incident := l.Row.Interaction.EventID().IncidentID()
			v := index.verdicts[incident]
			if v == nil {
				return ctx.Err()
			}
			delete(index.verdicts, incident) // a line that repeats it gives no second row
			row, err := newRow(&l.Row, v)
			if err != nil {
				return fmt.Errorf("%s: %w", l.Place, err)
			}
			return errors.Join(rows.Encode(row), ctx.Err())
		})
		return err
	})
	return err
}

// labelledRow is a row as evaluate and tune read it.
type labelledRow struct {
	Interaction stdjson.RawMessage `json:"interaction"`
	Label       int                `json:"label"`
	Weight      float64            `json:"weight,omitempty"`
	Task        string             `json:"task,omitempty"`
	Group       string             `json:"group,omitempty"`
	Dataset     string             `json:"dataset,omitempty"`
}

// newRow makes a labelled row. Answers with equal sources form a group.
func newRow(l *schemas.Labelled, v *verdict) (row labelledRow, err error) {
	in := &l.Interaction
	row = labelledRow{Weight: v.weight, Task: cmp.Or(l.Task, in.Operation), Group: cmp.Or(l.Group, groupOf(in)), Dataset: l.Dataset}
	if v.wrong {
		row.Label = 1
	}
	row.Interaction, err = json.AppendInteraction(nil, in)
	return row, err
}

// groupOf names the group of answers with these sources, or of this answer alone.
func groupOf(in *schemas.Interaction) string {
	var texts []string
	for i := range in.Sources {
		if text := in.Sources[i].Text; text != "" {
			texts = append(texts, text)
		}
	}
	if len(texts) == 0 {
		return "answer " + in.EventID().IncidentID()[:16]
	}
	slices.Sort(texts)
	sum := sha256.Sum256([]byte(strings.Join(texts, "\x00")))
	return "sources " + hex.EncodeToString(sum[:8])
}
