package main

import (
	"bufio"
	stdjson "encoding/json"
	"errors"
	"fmt"
	"io"

	"github.com/spf13/cobra"

	"confab/internal/files"
	"confab/internal/worker/config"
	"confab/schemas"
	"confab/schemas/json"
	"confab/schemas/json/scan"
)

// newMap shows what the map of an input reads from the records of a file.
func newMap(c *cli) *cobra.Command {
	var shape lineShape
	cmd := c.newConfigured("map", cobra.MaximumNArgs(1), func(_ *cobra.Command, cfg *config.Config, args []string) error {
		input, decode, err := shape.open(cfg)
		if err != nil {
			return err
		}
		if decode == nil {
			decode = input.Decode
		}
		in, _, err := c.openInput(args)
		if err != nil {
			return usageError{err}
		}
		defer in.Close()
		out := bufio.NewWriter(c.out)
		return errors.Join(showReadings(in, out, decode), out.Flush())
	})
	shape.bind(cmd)
	return cmd
}

// reading is what became of a record.
type reading struct {
	Interaction stdjson.RawMessage `json:"interaction,omitempty"`
	Malformed   []string           `json:"malformed,omitempty"` // fields that are lost
	Refused     string             `json:"refused,omitempty"`
	Skipped     bool               `json:"skipped,omitempty"` // by where
}

func showReadings(r io.Reader, w io.Writer, decode func([]byte, *schemas.Interaction) error) error {
	lines, err := files.NewRecords(r, json.MaxLabelledBytes)
	if err != nil {
		return err
	}
	out := stdjson.NewEncoder(w)
	out.SetEscapeHTML(false)
	for {
		line, err := lines.Next()
		if errors.Is(err, io.EOF) {
			return nil
		}
		var in schemas.Interaction
		if err == nil {
			err = decode(line, &in)
		}
		one := reading{Malformed: in.Malformed, Skipped: errors.Is(err, json.ErrSkipped)}
		bad, refused := errors.AsType[*scan.Error](err)
		switch {
		case refused:
			one = reading{Refused: bad.Error()}
		case one.Skipped:
		case err != nil:
			return fmt.Errorf("line %d: %w", lines.Number(), err)
		default:
			if one.Interaction, err = json.AppendInteraction(nil, &in); err != nil {
				return fmt.Errorf("line %d: %w", lines.Number(), err)
			}
		}
		if err := out.Encode(one); err != nil {
			return err
		}
	}
}
