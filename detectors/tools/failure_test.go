package tools

import (
	"testing"

	"github.com/stretchr/testify/require"

	"confab/schemas"
)

// TestFailure: which results say that a call failed.
func TestFailure(t *testing.T) {
	t.Parallel()
	for result, failed := range map[string]bool{
		`{"code":"TIMEOUT","detail":"carrier gateway did not answer in 20 s"}`: true,
		`{"code":"FORBIDDEN"}`:                                                    true,
		`{"code":504,"message":"Gateway Timeout"}`:                                true,
		`{"code":404,"message":"Not Found","data":null}`:                          true,
		`{"code":"PERMISSION_DENIED","message":"caller may not","details":["x"]}`: true,
		`{"error_code":"TIMEOUT"}`:                                                true,
		`{"errorCode":1042,"errorMessage":"bad state"}`:                           true,
		`{"fault":{"kind":"transport","reason":"no route"}}`:                      true,
		`{"fault":"door open"}`:                                                   true,
		`{"content":[{"type":"text","text":"no such user"}],"isError":true}`:      true,
		`{"faultCode":"Server","faultString":"x"}`:                                true,
		`{"code":"INSUFFICIENT_FUNDS","message":"balance 3.10"}`:                  true,
		`{"error_type":"E7","ticket":"T-4"}`:                                      false,
		`{"db":"catalogo","stato":"ERRORE"}`:                                      true,
		"HTTP 504 Gateway Timeout":                                                true,
		"HTTP/1.1 403 Forbidden":                                                  true,
		"502 Bad Gateway":                                                         true,
		"<html><head><title>503 Service Temporarily Unavailable</title></head>":   true,
		"Request failed with status code 500":                                     true,

		`{"code":"A-17","price":40}`:                                false,
		`{"code":"ERROR404","percent":10}`:                          false,
		`{"code":"DE-404","message":"label printed"}`:               false,
		`{"code":200}`:                                              false,
		`{"code":0,"message":"started","data":{"id":5}}`:            false,
		`{"code":504,"product":"garden hose","qty":1}`:              false,
		`{"code":500,"detail":"valid for the back"}`:                false,
		`{"code":"UNAVAILABLE","employee":"E5","type":"absence"}`:   false,
		`{"error_code":null,"id":"m1"}`:                             false,
		`{"error_code":0,"id":"m1"}`:                                false,
		`{"errorCode":"","id":"m1"}`:                                false,
		`{"error_code":"00","isError":false}`:                       false,
		`{"fault":"none","checked":12}`:                             false,
		`{"fault":"none"}`:                                          false,
		`{"fault":{"id":"F-22","kind":"light"},"state":"reported"}`: false,
		"HTTP 200 OK":            false,
		"HTTP/1.1 201 Created":   false,
		"500 characters saved":   false,
		"404 Station Road, Bath": false,
	} {
		c := call{ToolCall: &schemas.ToolCall{Name: "act", Result: result}, result: leavesOf(result)}
		require.Equal(t, failed, c.failure() != "", result)
	}
	report := `{"fault":{"id":"F-22","kind":"light"}}`
	c := call{ToolCall: &schemas.ToolCall{Name: "report_fault", Result: report}, result: leavesOf(report)}
	require.Empty(t, c.failure(), "a tool for faults")
}
