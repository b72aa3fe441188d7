package scores

import (
	"encoding/json"
	"errors"
	"fmt"
	"net/http"

	"confab/alerting"
	"confab/alerting/httpsend"
)

// refusedError is a request that the backend refuses for what it holds. A batch is divided until the scores that it
// refuses are alone.
type refusedError struct{ cause error }

func (e *refusedError) Error() string { return e.cause.Error() }
func (e *refusedError) Unwrap() error { return e.cause }

// missingError names the targets that the backend does not have yet. None of the batch was written.
type missingError struct{ ids map[string]bool }

func (e *missingError) Error() string {
	return fmt.Sprintf("%d traces or spans are not there yet", len(e.ids))
}

// partialError is a reply with the statuses of single scores, by their ids. The other scores of the batch were written.
type partialError struct{ refused map[string]error }

func (e *partialError) Error() string { return fmt.Sprintf("%d scores refused", len(e.refused)) }

// errOtherService is a reply that the backend's API does not give.
var errOtherService = errors.New("not a reply of the API")

// isRefusal reports whether a status condemns the content of a request. The other statuses concern the address, the login or
// the service, so the same content may be accepted later.
func isRefusal(status int) bool {
	switch status {
	case http.StatusBadRequest, http.StatusConflict, http.StatusRequestEntityTooLarge, http.StatusUnprocessableEntity:
		return true
	default:
		return false
	}
}

// partialOf reads a reply of status 207. A score that failed for another reason than its content makes all of it temporary.
func partialOf(reply []byte) error {
	var list struct {
		Errors []struct {
			ID     string `json:"id"`
			Status int    `json:"status"`
		} `json:"errors"`
	}
	if json.Unmarshal(reply, &list) != nil {
		return errOtherService
	}
	if len(list.Errors) == 0 {
		return nil
	}
	refused := make(map[string]error, len(list.Errors))
	for _, e := range list.Errors {
		if !isRefusal(e.Status) {
			return fmt.Errorf("a score of the batch failed with HTTP status %d", e.Status)
		}
		refused[e.ID] = fmt.Errorf("HTTP status %d for this score", e.Status)
	}
	return &partialError{refused}
}

// adviceFor are the remedies of a backend. keys names its login.
func adviceFor(section, keys string) httpsend.Advice {
	place := "set " + section + ".url to the base address of the API"
	return httpsend.Advice{
		Auth:     "correct " + keys + " under " + section,
		Missing:  "nothing answers at this path: " + place,
		Refused:  httpsend.ReportRemedy,
		Redirect: "redirects are not followed: " + place,
		Reply: func(e *alerting.Error, err error) bool {
			if !errors.Is(err, errOtherService) {
				return false
			}
			httpsend.MarkOperator(e, alerting.ReasonNotFound, place)
			e.Detail = "the reply is not one of the API"
			return true
		},
	}
}
