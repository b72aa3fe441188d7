package main

import (
	"fmt"
	"net"
	"strconv"

	"github.com/spf13/cobra"

	"confab/internal/kafka/embedded"
)

func newBroker(c *cli) *cobra.Command {
	var listen string
	cmd := newCommand("broker", cobra.NoArgs, func(cmd *cobra.Command, _ []string) error {
		_, port, err := net.SplitHostPort(listen)
		if n, bad := strconv.Atoi(port); err != nil || bad != nil || n < 0 {
			return usageError{fmt.Errorf("--listen %s: write host:port, such as 127.0.0.1:9092", listen)}
		}
		b, err := embedded.Start(embedded.Options{Listen: func(network, _ string) (net.Listener, error) {
			return (&net.ListenConfig{}).Listen(cmd.Context(), network, listen)
		}})
		if err != nil {
			return fmt.Errorf("%w; --listen takes another address", err)
		}
		defer b.Close()
		if _, err := fmt.Fprintf(c.out, "a broker for trials at %s, in memory; kafka.seed_brokers names it; Ctrl-C ends it\n", b.Seeds()[0]); err != nil {
			return err
		}
		<-cmd.Context().Done()
		return nil
	})
	cmd.Flags().StringVar(&listen, "listen", "127.0.0.1:9092", "the `address` that clients connect to")
	return cmd
}
