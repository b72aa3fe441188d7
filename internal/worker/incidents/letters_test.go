package incidents

import (
	"bytes"
	"encoding/json"
	"strings"
	"testing"
	"time"
	"unicode"

	"github.com/stretchr/testify/require"

	"confab/internal/kafka"
	"confab/internal/kafka/deadletter"
	"confab/internal/kafka/kafkatest"
)

func letterHeaders(pairs ...string) []kafka.Header {
	var hs []kafka.Header
	for i := 0; i < len(pairs); i += 2 {
		hs = append(hs, kafka.Header{Key: pairs[i], Value: []byte(pairs[i+1])})
	}
	return hs
}

var letterTime = time.Date(2026, 11, 22, 3, 4, 5, 0, time.UTC)

func TestLetterText(t *testing.T) {
	const value = "my key is AKIAIOSFODNN7EXAMPLE, mail pat@example.com\x1b[31m"
	for _, tt := range []struct {
		name    string
		headers []kafka.Header
		key     string
		value   string
		values  bool
		want    string
	}{
		{
			"ours", letterHeaders("__connect.errors.topic", "in", "__connect.errors.partition", "3", "__connect.errors.offset", "12",
				"__connect.errors.exception.message", "syntax: at byte 4", "confab-stage", "decode", "confab-reason", "syntax", "confab-attempt", "2"),
			"k", value, false, "2026-11-22 03:04:05  decode  syntax  topic in partition 3 offset 12  key k\n    syntax: at byte 4\n    → mend decode syntax\n",
		},
		{
			"with its value", letterHeaders("__connect.errors.topic", "in", "__connect.errors.partition", "3", "__connect.errors.offset", "12",
				"confab-stage", "decode", "confab-reason", "syntax"), "pat@example.com", value, true,
			"2026-11-22 03:04:05  decode  syntax  topic in partition 3 offset 12  key [email]\n    → mend decode syntax\n    my key is [key], mail [email][U+001B][31m\n",
		},
		{
			"without headers", nil, "", "\xff\x00", true,
			"2026-11-22 03:04:05  ?  ?  topic ? partition ? offset ?  key -\n    → another program wrote it: its headers have no confab-reason\n    (2 bytes that are not text)\n",
		},
		{
			"malformed", letterHeaders("__connect.errors.topic", "in\x1b[2J\nforged", "__connect.errors.partition", "many", "__connect.errors.offset", "-7",
				"__connect.errors.stage", "VALUE_CONVERTER", "confab-reason", "odd\xff", "confab-attempt", "99999999999999999999"), "k", value, false,
			"2026-11-22 03:04:05  VALUE_CONVERTER  odd  topic in[U+001B][2J forged partition ? offset ?  key k\n    → mend VALUE_CONVERTER odd\n" +
				"    malformed headers: __connect.errors.offset, __connect.errors.partition, confab-attempt\n",
		},
		{
			"the last header counts", letterHeaders("confab-reason", "old", "confab-reason", "new", "confab-stage", "decode"), "", "", false,
			"2026-11-22 03:04:05  decode  new  topic ? partition ? offset ?  key -\n    → mend decode new\n",
		},
	} {
		t.Run(tt.name, func(t *testing.T) {
			var out bytes.Buffer
			p := LetterPrinter{W: &out, Values: tt.values, Remedy: func(_, stage, reason string, _ []byte) string { return "mend " + stage + " " + reason }}
			r := &kafka.FetchedRecord{Topic: "dlq", Key: []byte(tt.key), Value: []byte(tt.value), Headers: tt.headers, Timestamp: letterTime}
			require.NoError(t, p.Print(r))
			require.Equal(t, tt.want, out.String())
			for _, c := range strings.ReplaceAll(out.String(), "\n", "") {
				require.True(t, unicode.IsPrint(c), "%q", c)
			}
			out.Reset()
			p.JSON = true
			require.NoError(t, p.Print(r))
			require.True(t, json.Valid(out.Bytes()))
			require.Equal(t, 1, strings.Count(out.String(), "\n"))
			require.Equal(t, tt.values, strings.Contains(out.String(), `"value":`))
			require.NotContains(t, out.String(), "AKIA")
		})
	}
}

func TestTailLetters(t *testing.T) {
	cfg := kafkatest.Start(t, map[string]int32{"dlq": 1})
	for _, key := range []string{"a", "b", "c"} {
		kafkatest.Write(t, cfg, kafka.Message{Topic: "dlq", Key: []byte(key), Value: []byte("v"), Headers: letterHeaders(deadletter.HeaderReason, "syntax")})
	}
	tail := func(o TailOptions) (keys string) {
		o.Kafka, o.Topic, o.FromStart = cfg, "dlq", true
		o.ShowLetter = func(r *kafka.FetchedRecord) error { keys += string(r.Key); return nil }
		require.NoError(t, Tail(t.Context(), o))
		return keys
	}
	require.Equal(t, "abc", tail(TailOptions{StopAtEnd: true}))
	require.Equal(t, "ab", tail(TailOptions{Max: 2}))
}
