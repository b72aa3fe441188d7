package avro

import (
	"math"
	"testing"

	"github.com/stretchr/testify/require"

	"confab/schemas/json/scan"
)

func TestUnframe(t *testing.T) {
	for name, c := range map[string]struct {
		value string
		id    int32
		body  string
		want  string
	}{
		"plain":          {"\x00\x00\x00\x01\x02body", 258, "body", ""},
		"no body":        {"\x00\x00\x00\x00\x01", 1, "", ""},
		"largest id":     {"\x00\x7f\xff\xff\xffb", math.MaxInt32, "b", ""},
		"nothing":        {"", 0, "", scan.ReasonBadFrame},
		"four bytes":     {"\x00\x00\x00\x01", 0, "", scan.ReasonBadFrame},
		"another magic":  {"\x01\x00\x00\x00\x01b", 0, "", scan.ReasonBadFrame},
		"JSON":           {`{"answer":"a"}`, 0, "", scan.ReasonBadFrame},
		"id 0":           {"\x00\x00\x00\x00\x00b", 0, "", scan.ReasonBadFrame},
		"id -1":          {"\x00\xff\xff\xff\xffb", 0, "", scan.ReasonBadFrame},
		"id of 32 bits":  {"\x00\x80\x00\x00\x00b", 0, "", scan.ReasonBadFrame},
		"single object":  {"\xc3\x01\x00\x00\x00\x00\x00\x00\x00\x00", 0, "", scan.ReasonBadFrame},
		"a second frame": {"\x00\x00\x00\x00\x01\x00\x00\x00\x00\x01", 1, "\x00\x00\x00\x00\x01", ""},
	} {
		t.Run(name, func(t *testing.T) {
			id, body, err := Unframe([]byte(c.value))
			require.Equal(t, c.want, errorReason(t, err))
			require.Equal(t, c.id, id)
			require.Equal(t, c.body, string(body))
			if c.want == "" {
				require.Equal(t, c.value, string(Frame(nil, uint32(id), body)))
			}
		})
	}
	require.Equal(t, "in front\x00\x00\x00\x00\x07b", string(Frame([]byte("in front"), 7, []byte("b"))))
}
