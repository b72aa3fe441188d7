package main

import (
	"fmt"
	"io"
	"os"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"confab/internal/cli/check"
	"confab/internal/worker/config"
	"confab/internal/worker/records"
	"confab/internal/worker/recordshape"
)

// openInput opens the file that the first argument names, or standard input. The size of standard input is 0.
func (c *cli) openInput(args []string) (io.ReadCloser, int64, error) {
	if len(args) == 0 || args[0] == "-" {
		return io.NopCloser(c.in), 0, nil
	}
	f, err := os.Open(args[0])
	if err != nil {
		return nil, 0, err
	}
	info, err := f.Stat()
	if err == nil && info.IsDir() {
		err = fmt.Errorf("%[1]s is a folder: name a file in it, or one of all: cat %[1]s/* > all.json", args[0])
	}
	if err != nil {
		f.Close()
		return nil, 0, err
	}
	return f, info.Size(), nil
}

// lineShape says how the lines of a file are read.
type lineShape struct{ topic, preset, mapFile string }

func (s *lineShape) bind(cmd *cobra.Command) {
	cmd.Flags().StringVar(&s.topic, "input", "", "read the lines as records of this input `topic`, by its map")
	cmd.Flags().StringVar(&s.preset, "preset", "", "read the lines as a known `shape`: "+strings.Join(presetNames(), ", "))
	cmd.Flags().StringVar(&s.mapFile, "map", "", "read the lines by the map in this `file`, such as confab map writes")
	cmd.MarkFlagsMutuallyExclusive("input", "preset", "map")
}

// presetNames are the presets of lines, with the format of spans.
func presetNames() []string {
	names := append(recordshape.PresetNames(), records.SpansPreset)
	slices.Sort(names)
	return names
}

// expander decodes lines of spans: those of the input, or of a file that looks like it. forced says that every line is one.
func (s *lineShape) expander(cfg *config.Config, input *records.FileInput) (expand check.LineExpander, forced bool, err error) {
	if input.HoldsSpans() {
		return input.Expand, true, nil
	}
	spans, err := records.NewPresetInput(cfg, records.SpansPreset)
	if err != nil {
		return nil, false, err
	}
	return spans.Expand, false, nil
}

// open treats lines as records of an input. Without a topic and a preset decode is nil: lines are interactions or labelled
// rows.
func (s *lineShape) open(cfg *config.Config) (input *records.FileInput, decode check.LineDecoder, err error) {
	if s.preset != "" {
		if known := presetNames(); !slices.Contains(known, s.preset) {
			return nil, nil, usageError{fmt.Errorf("--preset: %s", recordshape.UnknownPreset(s.preset, known))}
		}
		if input, err = records.NewPresetInput(cfg, s.preset); err != nil {
			return nil, nil, usageError{fmt.Errorf("--preset: %w", err)}
		}
		return input, input.Decode, nil
	}
	if s.mapFile != "" {
		if input, err = records.NewMapInput(cfg, s.mapFile); err != nil {
			return nil, nil, usageError{fmt.Errorf("--map: %w", err)}
		}
		return input, input.Decode, nil
	}
	if input, err = records.NewFileInput(cfg, s.topic); err != nil {
		return nil, nil, usageError{fmt.Errorf("--input: %w", err)}
	}
	if s.topic != "" {
		decode = input.Decode
	}
	return input, decode, nil
}
