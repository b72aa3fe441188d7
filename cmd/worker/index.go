package main

import (
	"errors"
	"fmt"

	"github.com/spf13/cobra"

	"confab/cmd/worker/internal/index"
	"confab/internal/names"
)

func newIndex(c *cli) *cobra.Command {
	cmd := commandGroup(&cobra.Command{
		Use:     "index",
		Short:   "Indexes of the package names that exist, for the technical detector",
		Example: "  confab index build --ecosystem pypi names.txt",
	})
	cmd.AddCommand(newIndexBuild(c))
	return cmd
}

var errEcosystem = errors.New("--ecosystem is missing: choose one of pypi, npm, go, crates, rubygems")

func newIndexBuild(c *cli) *cobra.Command {
	var ecosystem, out string
	cmd := &cobra.Command{
		Use:   "build NAMES|-",
		Short: "Builds an index of package names",
		Long: `Reads the names of all packages of an ecosystem, one a line (gzip is recognized; blank lines and those that begin with
# are passed over), and writes an index of them: about nine bits a name, the same bytes for the same names. Of names that
do not exist, one in 256 will be taken for one that does. The worker reads it where detectors.technical.indexes says so.

Names are compared as the ecosystem compares them: PyPI takes Ruamel_Yaml for ruamel-yaml. Of go, give the paths of
modules. Lists of all names are published by the ecosystems themselves.`,
		Example: `  confab index build --ecosystem pypi names.txt
  zcat modules.gz | confab index build --ecosystem go --out go.names -`,
		Args: cobra.ExactArgs(1),
		RunE: func(cmd *cobra.Command, args []string) error {
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
			bar := c.progress("names", size)
			res, err := index.Build(cmd.Context(), bar.Reader(in), c.err, index.Options{Ecosystem: e, Out: out, Progress: bar.Count})
			bar.Stop()
			if err != nil {
				return err
			}
			if res.Bad > 0 {
				fmt.Fprintf(c.err, "%d of %d lines were left out: no package of %s can have such a name\n", res.Bad, res.Lines, e)
			}
			fmt.Fprintf(c.err, "%s: %d names of %s, %d bytes; use it with detectors.technical.indexes: {%s: %s}\n", out, res.Names, e, res.Bytes, e, out)
			return nil
		},
	}
	cmd.Flags().StringVar(&ecosystem, "ecosystem", "", "whose names they are: pypi, npm, go, crates or rubygems")
	cmd.Flags().StringVar(&out, "out", "", "`file` to write (default ECOSYSTEM.names)")
	return cmd
}
