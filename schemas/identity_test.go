package schemas_test

import (
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"confab/schemas"
)

// vector is one row of the table in docs/identity.md.
type vector struct{ tenant, id, answer, event, incident string }

// vectors reads the table: rows of five cells, the first three JSON strings, all in back quotes.
func vectors(t *testing.T) (out []vector) {
	t.Helper()
	raw, err := os.ReadFile(filepath.Join("..", "docs", "identity.md"))
	require.NoError(t, err)
	for line := range strings.Lines(string(raw)) {
		cells := strings.Split(strings.Trim(strings.TrimSpace(line), "|"), " | ")
		if len(cells) != 5 || !strings.HasPrefix(strings.TrimSpace(cells[0]), "`\"") {
			continue
		}
		for i := range cells {
			cells[i] = strings.Trim(strings.TrimSpace(cells[i]), "`")
			if i < 3 {
				cells[i], err = strconv.Unquote(cells[i])
				require.NoError(t, err, line)
			}
		}
		out = append(out, vector{cells[0], cells[1], cells[2], cells[3], cells[4]})
	}
	return out
}

// The published vectors are permanent: a change here would repeat the notification of every incident.
func TestIdentityVectors(t *testing.T) {
	rows := vectors(t)
	require.GreaterOrEqual(t, len(rows), 6)
	seen := map[string]bool{}
	for _, v := range rows {
		t.Run(v.tenant+"/"+v.id, func(t *testing.T) {
			in := schemas.Interaction{Tenant: v.tenant, ID: v.id, Answer: v.answer}
			event := in.EventID()
			require.Equal(t, v.event, hex.EncodeToString(event[:]))
			require.Equal(t, v.incident, event.IncidentID())

			digest := sha256.Sum256([]byte(v.answer))
			plain := sha256.Sum256(join("ev1", v.tenant, v.id, string(digest[:])))
			require.Equal(t, v.event, hex.EncodeToString(plain[:]))
			again := sha256.Sum256(join("in1", string(plain[:])))
			require.Equal(t, v.incident, hex.EncodeToString(again[:]))
		})
		require.False(t, seen[v.incident], "two vectors share an incident")
		seen[v.incident] = true
	}
}

// join writes the parts as the documents say: each after its length.
func join(parts ...string) (out []byte) {
	for _, p := range parts {
		out = binary.BigEndian.AppendUint64(out, uint64(len(p)))
		out = append(out, p...)
	}
	return out
}

// What only differs in where the parts end has different ids.
func TestIdentityKeepsPartsApart(t *testing.T) {
	a := (&schemas.Interaction{Tenant: "ab", ID: "c"}).EventID()
	b := (&schemas.Interaction{Tenant: "a", ID: "bc"}).EventID()
	require.NotEqual(t, a, b)
}

func TestOffsetID(t *testing.T) {
	at := schemas.Origin{Topic: "llm.interactions", Partition: 3, Offset: 1 << 40, Index: 2}
	require.Equal(t, "prod/llm.interactions/3/1099511627776/2", schemas.OffsetID("prod", at))
}

func TestReset(t *testing.T) {
	in := schemas.Interaction{
		ID: "i", Tags: []string{"x"}, Messages: []schemas.Message{{Role: "r"}}, Sources: []schemas.Source{{ID: "s"}},
		Attributes: map[string]string{"a": "b"}, Repaired: true, UnknownFields: 2, Scratch: []byte("scratch"),
		Logprobs: schemas.Logprobs{TopK: 3, Values: make([]float32, 8), Offsets: make([]int32, 2)},
	}
	tags, messages, sources := in.Tags, in.Messages, in.Sources
	in.Reset()
	require.Empty(t, in.ID)
	require.InDelta(t, schemas.UnknownTemperature, in.Temperature, 0)
	require.Empty(t, in.Attributes)
	require.False(t, in.Repaired)
	require.Zero(t, in.UnknownFields+in.Logprobs.TopK+in.Logprobs.Rows()+len(in.Logprobs.Offsets))
	require.Equal(t, 1, cap(in.Tags))
	require.Equal(t, 8, cap(in.Logprobs.Values))
	require.Equal(t, []string{""}, tags, "the bytes pointed into are let go")
	require.Equal(t, []schemas.Message{{}}, messages)
	require.Equal(t, []schemas.Source{{}}, sources)
}
