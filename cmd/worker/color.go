package main

import (
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"confab/internal/console"
)

// The values of --color.
const (
	colorAuto   = "auto" // on a terminal, unless NO_COLOR is set
	colorAlways = "always"
	colorNever  = "never"
)

func colorModes() []string { return []string{colorAuto, colorAlways, colorNever} }

// checkColor returns an error for an unknown value of --color.
func (c *cli) checkColor(*cobra.Command, []string) error {
	if !slices.Contains(colorModes(), c.colorMode) {
		return usageError{fmt.Errorf("--color %s: expected one of %s", c.colorMode, strings.Join(colorModes(), ", "))}
	}
	return nil
}

// useColor reports whether texts for w are colored: as --color says, else on a terminal unless NO_COLOR is set (no-color.org).
func (c *cli) useColor(w io.Writer) bool {
	if c.colorMode != colorAuto {
		return c.colorMode == colorAlways
	}
	off := func(entry string) bool { return strings.HasPrefix(entry, "NO_COLOR=") && entry != "NO_COLOR=" }
	return console.IsTerminal(w) && !slices.ContainsFunc(c.env, off)
}
