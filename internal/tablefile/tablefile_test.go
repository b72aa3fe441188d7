package tablefile

import (
	"bytes"
	"math"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"
)

func writeTable(t *testing.T, name, content string) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), name)
	require.NoError(t, os.WriteFile(path, []byte(content), 0o600))
	return path
}

func TestReadTable(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct{ file, content string }{
		"csv":          {"t.csv", "id,n,text\na,1,\"x, \n\"\"y\"\"\"\nb,,\n"},
		"semicolons":   {"t.csv", "\ufeffid; n ;text\r\na;1;\"x, \n\"\"y\"\"\"\r\nb;;\r\n"},
		"tabs":         {"t.csv", "id\tn\ttext\na\t1\t\"x, \n\"\"y\"\"\"\nb\t\t\n"},
		"lines":        {"t.jsonl", "{\"id\":\"a\",\"n\":1,\"text\":\"x, \\n\\\"y\\\"\"}\n\n{\"id\":\"b\",\"n\":null,\"text\":\"\"}\n"},
		"list":         {"t.json", `[{"id":"a","n":1,"text":"x, \n\"y\""}, {"id":"b"}]`},
		"list, .jsonl": {"t.jsonl", `[{"id":"a","n":1,"text":"x, \n\"y\""}, {"id":"b"}]`},
	} {
		rows, bad, err := ReadTable(writeTable(t, c.file, c.content))
		require.NoError(t, err, name)
		require.Empty(t, bad, name)
		require.Len(t, rows, 2, name)
		require.Equal(t, map[string]string{"id": "a", "n": "1", "text": "x, \n\"y\""}, rows[0].Values, name)
		require.Equal(t, map[string]string{"id": "b"}, rows[1].Values, name)
	}
	rows, _, err := ReadTable(writeTable(t, "n.jsonl", `{"result":{"score":0.25,"label":null,"big":12345678901234567890},"ok":true,"tags":["a",1]}`))
	require.NoError(t, err)
	require.Equal(t, map[string]string{"result.score": "0.25", "result.big": "12345678901234567890", "ok": "true", "tags": `["a",1]`}, rows[0].Values)
}

func TestReadTableReportsRowsByLine(t *testing.T) {
	t.Parallel()
	path := writeTable(t, "t.csv", "id,n\na,1\nb\n\"c\nd\",2,3\nx\"y,1\ne,5\n")
	rows, bad, err := ReadTable(path)
	require.NoError(t, err)
	require.Len(t, rows, 2)
	require.Equal(t, path+":7", rows[1].Place)
	var texts []string
	for _, b := range bad {
		texts = append(texts, b.Error())
	}
	require.Equal(t, []string{
		path + ":3: 1 cells where the first line has 2 names",
		path + ":4: 3 cells where the first line has 2 names",
		path + `:6: bare " in non-quoted-field`,
	}, texts)

	path = writeTable(t, "t.jsonl", "{\"id\":1}\n[1]\n{\"id\":\nnull\n{} {}\n{\"id\":2}\n")
	rows, bad, err = ReadTable(path)
	require.NoError(t, err)
	require.Len(t, rows, 2)
	require.Len(t, bad, 4)
	require.ErrorContains(t, bad[0], path+":2: is not a JSON object")
	require.ErrorContains(t, bad[2], path+":4: is not a JSON object: null")
	require.ErrorContains(t, bad[3], "something follows")
}

func TestOpenTableErrors(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct{ file, content, want string }{
		"empty":           {"t.csv", "\ufeff \n", "t.csv is empty"},
		"UTF-16":          {"t.csv", "\xff\xfei\x00d\x00\n\x00", "t.csv is UTF-16: save it as CSV in UTF-8"},
		"workbook":        {"t.xlsx", "PK\x03\x04", "t.xlsx is a workbook: save it as CSV in UTF-8"},
		"extension":       {"t.parquet", "x", "t.parquet: the extension names no format: end it in .csv, .jsonl or .json"},
		"repeated column": {"t.csv", "a,b,a\n", `two columns are named "a"`},
		"broken list":     {"t.json", "[{]", "the JSON of the file"},
	} {
		_, _, err := ReadTable(writeTable(t, c.file, c.content))
		require.ErrorContains(t, err, c.want, name)
	}
	_, _, err := ReadTable("gone.csv")
	require.EqualError(t, err, "gone.csv does not exist")
}

func TestWriter(t *testing.T) {
	t.Parallel()
	var b bytes.Buffer
	w, err := NewWriter(&b, []string{"id", "n", "x", "ok", "list"})
	require.NoError(t, err)
	require.NoError(t, w.Write("=1+1", 1, 0.25, true, []string{"a<b"}))
	require.NoError(t, w.Write("a,\"\n", -1, math.NaN(), false, nil))
	require.ErrorContains(t, w.Write("a"), "1 values for 5 columns")
	require.NoError(t, w.Flush())
	require.Equal(t, "id,n,x,ok,list\n'=1+1,1,0.25,true,\"[\"\"a<b\"\"]\"\n\"a,\"\"\n\",-1,,false,\n", b.String())

	rows, bad, err := ReadTable(writeTable(t, "t.csv", b.String()))
	require.NoError(t, err)
	require.Empty(t, bad)
	require.Equal(t, "=1+1", rows[0].Values["id"], "the guard is removed")
	require.Equal(t, "-1", rows[1].Values["n"])
	for _, path := range []string{"a", "a.json", "a.parquet", "csv"} {
		require.EqualError(t, CheckName(path), path+": the table is CSV: end the name in .csv")
	}
	require.NoError(t, CheckName("b/a.CSV"))
}
