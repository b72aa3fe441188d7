package main

import (
	"bufio"
	stdjson "encoding/json"
	"errors"
	"fmt"
	"io"

	"github.com/spf13/cobra"

	"confab/internal/cli/mapping"
	"confab/internal/worker/recordshape"
	"confab/schemas"
	"confab/schemas/json"
	"confab/schemas/json/scan"
)

// newMap proposes a map for the records of a file, or shows what a map that is named reads from them.
func newMap(c *cli) *cobra.Command {
	var shape lineShape
	var save string
	cmd := newCommand("map", cobra.MaximumNArgs(1), func(_ *cobra.Command, args []string) error {
		if shape == (lineShape{}) && c.file == "" {
			return c.proposeMap(args, save)
		}
		if save != "" {
			return usageError{errors.New("--out writes a proposed map: leave out --config, --input, --preset and --map")}
		}
		cfg, err := c.loadConfig()
		if err != nil {
			return err
		}
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
		err = errors.Join(showReadings(in, out, decode, input.Parts()), out.Flush())
		fmt.Fprintln(c.err, input.Report())
		return err
	})
	shape.bind(cmd)
	cmd.Flags().StringVar(&save, "out", "", "write the proposed map to this `file`, too")
	return cmd
}

func (c *cli) proposeMap(args []string, save string) error {
	in, _, err := c.openInput(args)
	if err != nil {
		return usageError{err}
	}
	defer in.Close()
	name := "FILE"
	if len(args) > 0 && args[0] != "-" {
		name = args[0]
	}
	return mapping.Run(in, c.out, c.err, mapping.Options{Name: name, Save: save})
}

// reading is what became of a record.
type reading struct {
	Interaction stdjson.RawMessage `json:"interaction,omitempty"`
	Malformed   []string           `json:"malformed,omitempty"` // fields that are lost
	Refused     string             `json:"refused,omitempty"`
	Skipped     bool               `json:"skipped,omitempty"` // by where
}

func showReadings(r io.Reader, w io.Writer, decode func([]byte, *schemas.Interaction) error, parts func([]byte) recordshape.Part) error {
	lines, err := recordshape.NewRecords(r, json.MaxLabelledBytes, "FILE", parts)
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
