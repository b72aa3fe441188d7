package main

import (
	"github.com/spf13/cobra"

	"confab/internal/strictyaml"
	"confab/internal/worker"
	"confab/internal/worker/config"
)

func newServe(c *cli) *cobra.Command {
	var listen string
	cmd := &cobra.Command{
		Use:   "serve",
		Short: "Checks answers on request, over HTTP",
		Long: `Runs the role serve until SIGINT or SIGTERM; SIGHUP reloads changed files. It checks answers that applications and gateways send, with the detectors,
the calibration and the alert rule of the worker, and responds with the flag.

  POST /v1/check       one interaction as JSON, or many as JSON Lines (Content-Type: application/x-ndjson)
  POST /v1/check/chat  {"request": ..., "response": ...} of OpenAI's chat completions
  GET  /openapi.yaml   the API

  ?explain=1           evidence of quiet detectors, too
  ?pass=deep           asks the language models under llm, within their budget
  ?preset=NAME         another known shape of records

The action of the tenant (tenants.NAME.action) decides: LOG responds 200, FLAG adds headers, BLOCK responds 403 if the
recommendation is block. Without logins under serve.auth it listens on this machine only. Kafka is needed only for
serve.publish: flags or all. confab run --roles serve,detect runs it with other roles.`,
		Example: `  confab serve --config confab.yaml
  curl -s localhost:9470/v1/check -H 'Content-Type: application/json' \
    -d '{"answer": "The lamp costs 30 euros.", "sources": ["The lamp costs 20 euros."]}'`,
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			own := []strictyaml.Setting{{Path: "roles", Value: string(config.RoleServe), Source: "confab serve"}}
			if listen != "" {
				own = append(own, strictyaml.Setting{Path: "serve.listen", Value: listen, Source: "--listen"})
			}
			return c.runWorker(cmd.Context(), worker.Options{}, own)
		},
	}
	cmd.Flags().StringVar(&listen, "listen", "", "`address` to listen on, instead of serve.listen")
	return cmd
}
