package serve

import (
	_ "embed"
	"net/http"
)

//go:embed openapi.yaml
var openAPI []byte

// describe answers GET /openapi.yaml.
func (s *Server) describe(q *webRequest) error {
	q.reply.write(http.StatusOK, "application/yaml", openAPI)
	return nil
}
