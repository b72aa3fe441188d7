package schemaregistry

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"strings"

	"github.com/twmb/franz-go/pkg/sr"
)

// ID names a schema in one of several ways: one of its fields is set.
type ID struct {
	Number  uint32 // of Confluent's API
	GUID    string // of Confluent's API since version 8.1
	Global  uint64 // of Apicurio's registry: of a version
	Content uint64 // of Apicurio's registry: of a text
}

// String names the id in messages.
func (id ID) String() string {
	switch {
	case id.GUID != "":
		return "schema " + id.GUID
	case id.Global != 0:
		return fmt.Sprintf("the schema of Apicurio's global id %d", id.Global)
	case id.Content != 0:
		return fmt.Sprintf("the schema of Apicurio's content id %d", id.Content)
	}
	return fmt.Sprintf("schema %d", id.Number)
}

// ErrNotApicurio means that an id is one of Apicurio's registry, and the configured registry is another one.
var ErrNotApicurio = errors.New("an id of Apicurio's registry: set schema_registry.url to its Confluent API, such as http://HOST/apis/ccompat/v7")

// confluentPath is where Apicurio's registry has Confluent's API.
const confluentPath = "/apis/ccompat/"

// ask asks the registry for the schema of an id.
func (r *Client) ask(ctx context.Context, id ID) (sr.Schema, error) {
	switch {
	case id.Number != 0:
		return r.client.SchemaByID(ctx, int(id.Number))
	case id.GUID != "":
		s, err := r.client.SchemaByGUID(ctx, id.GUID)
		return s.Schema, ofSchema(err)
	}
	if !strings.Contains(r.opts.URL, confluentPath) {
		return sr.Schema{}, ErrNotApicurio
	}
	path := fmt.Sprintf("globalIds/%d", id.Global)
	if id.Content != 0 {
		path = fmt.Sprintf("contentIds/%d", id.Content)
	}
	var text []byte
	err := r.client.Do(ctx, http.MethodGet, "/../../registry/v3/ids/"+path, nil, &text)
	if isMissing(err) { // registries before version 3
		err = r.client.Do(ctx, http.MethodGet, "/../../registry/v2/ids/"+path, nil, &text)
	}
	return sr.Schema{Schema: string(text), Type: typeOf(text)}, ofSchema(err)
}

// typeOf is the type of a schema's text, which Apicurio's own API does not name in its answer.
func typeOf(text []byte) sr.SchemaType {
	var object struct{ Type any }
	switch err := json.Unmarshal(text, &object); {
	case !json.Valid(text):
		return sr.TypeProtobuf
	case err == nil && object.Type != "record":
		return sr.TypeJSON
	}
	return sr.TypeAvro
}

func isMissing(err error) bool {
	answer, ok := errors.AsType[*sr.ResponseError](err)
	return ok && answer.StatusCode == http.StatusNotFound
}

// ofSchema returns the error of a path below which there are only schemas: a 404 in JSON or without a text, whatever its code, is
// that of a schema. A registry that does not have the path has no such schemas; a proxy says more.
func ofSchema(err error) error {
	if isMissing(err) {
		if answer, _ := errors.AsType[*sr.ResponseError](err); len(answer.Raw) == 0 || json.Valid(answer.Raw) {
			answer.ErrorCode = schemaNotFound
		}
	}
	return err
}

// schemaNotFound is the code of Confluent's API for a missing schema.
const schemaNotFound = 40403
