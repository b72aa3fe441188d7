package main

import (
	"strings"
	"testing"

	"github.com/rogpeppe/go-internal/testscript"
	"github.com/twmb/franz-go/pkg/sr/srfake"

	"confab/internal/golden"
	"confab/internal/kafka/embedded"
)

// The scripts of testdata/kafka run against an embedded broker of their own.
func TestKafkaScripts(t *testing.T) {
	if testing.Short() {
		t.Skip("takes seconds: make test runs it")
	}
	testscript.Run(t, testscript.Params{
		Dir: "testdata/kafka", UpdateScripts: golden.Update(), RequireUniqueNames: true,
		Setup: func(env *testscript.Env) error {
			cluster, err := embedded.Start(embedded.Options{})
			if err != nil {
				return err
			}
			env.Defer(cluster.Close)
			env.Setenv("CONFAB_KAFKA_SEED_BROKERS", strings.Join(cluster.Seeds(), ","))
			registry := srfake.New()
			env.Defer(registry.Close)
			env.Setenv("REGISTRY", registry.URL())
			env.Setenv("CONFAB_ADMIN_LISTEN", "127.0.0.1:0")
			return nil
		},
	})
}
