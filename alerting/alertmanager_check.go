package alerting

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
)

const opStatus = "ask Alertmanager for its status"

// Check asks for Alertmanager's version, which also tells whether the URL and the credential are right. No alert is made.
func (a *Alertmanager) Check(ctx context.Context) (version string, err error) {
	err = a.send.call(ctx, opStatus, lane{name: opStatus}, func(ctx context.Context) error {
		return a.do(ctx, http.MethodGet, "/api/v2/status", nil, func(r io.Reader) error {
			var status struct {
				Version struct {
					Version string `json:"version"`
				} `json:"versionInfo"`
			}
			if err := json.NewDecoder(r).Decode(&status); err != nil {
				return fmt.Errorf("read the status: %w", err)
			}
			version = clean(status.Version.Version, maxVersion)
			return nil
		})
	})
	if err != nil {
		return "", settled(err)
	}
	return version, nil
}
