//go:build integration

package integration_test

import (
	"bufio"
	"bytes"
	"encoding/json"
	"fmt"
	"hash/crc32"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"confab/internal/datatest"
)

// row is one labelled row: its line in a file of JSON Lines, and the interaction inside it.
type row struct {
	line   []byte
	id     string
	answer string
	tagged bool
}

// loadRows takes n rows of the shared data, spread over all its sets; where that is absent, the project's own samples
// under numbered ids. A quarter of the rows, chosen by id, is tagged as high-stakes: some of those are forwarded.
func loadRows(t *testing.T, n int) []row {
	t.Helper()
	var all [][]byte
	for _, set := range datatest.SetsIfAny(t) {
		all = append(all, datatest.Rows(t, set)...)
	}
	if len(all) < n {
		t.Logf("%d labelled rows, so the project's samples are used", len(all))
		all = repeatSamples(t, n)
	}
	rows := make([]row, 0, n)
	for i := range n {
		line := all[i*len(all)/n]
		if i%alertEvery == 0 {
			line = fmt.Appendf(nil, alertLine, i)
		}
		rows = append(rows, makeRow(t, line))
	}
	return rows
}

// alertEvery is how often an answer comes on which two detectors fire: they are rare among labelled rows.
const alertEvery = 40

const alertLine = `{"interaction":{"interaction_id":"alert-%d","service":"bot","operation":"chat","model":"m","answer":"Express parcels cost 30 euros [9].","sources":[{"id":"1","text":"Express parcels cost 14 euros."}]},"label":1}`

func readLines(t *testing.T, file string) [][]byte {
	t.Helper()
	f, err := os.Open(file)
	require.NoError(t, err)
	defer f.Close()
	var lines [][]byte
	sc := bufio.NewScanner(f)
	sc.Buffer(nil, 16<<20)
	for sc.Scan() {
		lines = append(lines, bytes.Clone(sc.Bytes()))
	}
	require.NoError(t, sc.Err(), file)
	return lines
}

func repeatSamples(t *testing.T, n int) [][]byte {
	t.Helper()
	var samples [][]byte
	for _, line := range readLines(t, "../internal/cli/demo/samples/samples.jsonl") {
		if bytes.Contains(line, []byte(`"interaction":`)) { // the others show what cannot be read
			samples = append(samples, line)
		}
	}
	require.NotEmpty(t, samples)
	out := make([][]byte, n)
	for i := range out {
		id := fmt.Sprintf("sample-%05d", i)
		out[i] = edit(t, samples[i%len(samples)], "interaction_id", id)
	}
	return out
}

// edit sets one field of a row's interaction and leaves the bytes of all others as they are.
func edit(t *testing.T, line []byte, field string, value any) []byte {
	t.Helper()
	var outer, inner map[string]json.RawMessage
	require.NoError(t, json.Unmarshal(line, &outer))
	require.NoError(t, json.Unmarshal(outer["interaction"], &inner))
	var err error
	inner[field], err = json.Marshal(value)
	require.NoError(t, err)
	outer["interaction"], err = json.Marshal(inner)
	require.NoError(t, err)
	line, err = json.Marshal(outer)
	require.NoError(t, err)
	return line
}

func makeRow(t *testing.T, line []byte) row {
	t.Helper()
	var r struct {
		Interaction struct {
			ID     string `json:"interaction_id"`
			Answer string `json:"answer"`
		} `json:"interaction"`
	}
	require.NoError(t, json.Unmarshal(line, &r))
	tagged := crc32.ChecksumIEEE([]byte(r.Interaction.ID))%4 == 0
	if tagged {
		line = edit(t, line, "tags", []string{"medical"})
	}
	return row{line: line, id: r.Interaction.ID, answer: r.Interaction.Answer, tagged: tagged}
}

// writeRows makes a file of JSON Lines.
func writeRows(t *testing.T, name string, rows []row) string {
	t.Helper()
	var b bytes.Buffer
	for _, r := range rows {
		b.Write(r.line)
		b.WriteByte('\n')
	}
	file := filepath.Join(t.TempDir(), name)
	require.NoError(t, os.WriteFile(file, b.Bytes(), 0o600))
	return file
}
