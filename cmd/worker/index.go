package main

import (
	"errors"
	"fmt"

	"github.com/spf13/cobra"

	"confab/internal/console"
	"confab/internal/names"
)

var errEcosystem = errors.New("--ecosystem is missing: choose one of pypi, npm, go, crates, rubygems")

func newIndex(c *cli) *cobra.Command {
	var ecosystem, out string
	cmd := newCommand("index", cobra.ExactArgs(1), func(cmd *cobra.Command, args []string) error {
		if ecosystem == "" {
			return usageError{errEcosystem}
		}
		e, err := names.ParseEcosystem(ecosystem)
		if err != nil {
			return usageError{fmt.Errorf("--ecosystem: %w", err)}
		}
		if out == "" {
			out = ecosystem + ".names"
		}
		in, size, err := c.openInput(args)
		if err != nil {
			return err
		}
		defer in.Close()
		progress := console.NewProgress(c.err, "names", size)
		res, err := names.BuildFile(cmd.Context(), progress.Reader(in), c.err, names.BuildOptions{Ecosystem: e, Out: out, Progress: progress.Count})
		progress.Stop()
		if err != nil {
			return err
		}
		if res.Bad > 0 {
			fmt.Fprintf(c.err, "%d of %d lines were left out: no package of %s can have such a name\n", res.Bad, res.Lines, e)
		}
		fmt.Fprintf(c.err, "%s: %d names of %s, %d bytes; use it with detectors.technical.indexes: {%s: %s}\n", out, res.Names, e, res.Bytes, e, out)
		return nil
	})
	cmd.Flags().StringVar(&ecosystem, "ecosystem", "", "ecosystem of the names: pypi, npm, go, crates or rubygems")
	cmd.Flags().StringVar(&out, "out", "", "`file` to write (default ECOSYSTEM.names)")
	return cmd
}
