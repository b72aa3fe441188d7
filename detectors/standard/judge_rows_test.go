package standard_test

import (
	"bufio"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"io"
	"math/rand/v2"
	"os"
	"path/filepath"
	"regexp"
	"testing"

	"github.com/stretchr/testify/require"

	"confab/calibration/measure"
	"confab/calibration/quality"
	"confab/internal/llm/llmtest"
	"confab/sampling"
	"confab/schemas"
)

// judgeRows is the folder of answers with labels, and of what readers replied who saw the request of the judge alone. The first
// line of a file of replies names the reader and the version of the prompt.
const judgeRows = "testdata/judge"

type recordedReply struct {
	Reader  string          `json:"reader,omitempty"`
	Prompt  string          `json:"prompt,omitempty"`
	Request string          `json:"request,omitempty"` // requestName
	Faults  json.RawMessage `json:"faults,omitempty"`
}

var randomMark = regexp.MustCompile(`DATA-[a-p]{16}`)

// requestName identifies a request by its data.
func requestName(c llmtest.Chat) string {
	sum := sha256.Sum256([]byte(randomMark.ReplaceAllString(c.Last(), "#")))
	return hex.EncodeToString(sum[:6])
}

func readReplies(t *testing.T, name string) map[string]json.RawMessage {
	t.Helper()
	f, err := os.Open(filepath.Join(judgeRows, name))
	require.NoError(t, err)
	defer f.Close()
	replies := map[string]json.RawMessage{}
	lines := bufio.NewScanner(f)
	for lines.Scan() {
		var r recordedReply
		require.NoError(t, json.Unmarshal(lines.Bytes(), &r))
		if r.Request == "" {
			require.Equal(t, sampling.PromptFaults, r.Prompt, "record the replies again with CONFAB_JUDGE_REQUESTS")
			continue
		}
		replies[r.Request] = r.Faults
	}
	require.NoError(t, lines.Err())
	return replies
}

func readJudgeRows(t *testing.T) (rows []schemas.Labelled) {
	t.Helper()
	labels, err := measure.OpenLabels(filepath.Join(judgeRows, "rows.jsonl"))
	require.NoError(t, err)
	defer labels.Close()
	for {
		var row schemas.Labelled
		err := labels.Next(&row)
		if errors.Is(err, io.EOF) {
			return rows
		}
		require.NoError(t, err)
		rows = append(rows, row)
	}
}

// judgeByReplies evaluates every row with the replies of a reader and calls each with those that the reader has read.
func judgeByReplies(t *testing.T, rows []schemas.Labelled, replies map[string]json.RawMessage, each func(row *schemas.Labelled, s schemas.Signal)) {
	t.Helper()
	folder := os.Getenv("CONFAB_JUDGE_REQUESTS")
	for i := range rows {
		known := false
		w := deepFixture{entries: onlyDetector("faithfulness"), random: rand.NewChaCha8([32]byte{1, byte(i)})}
		w.chat = func(c llmtest.Chat) string {
			if folder != "" {
				require.NoError(t, os.WriteFile(filepath.Join(folder, requestName(c)+".txt"), []byte(c.Messages[0].Content+"\n\n"+c.Last()), 0o600))
			}
			var reply json.RawMessage
			reply, known = replies[requestName(c)]
			return `{"faults":` + string(reply) + `}`
		}
		s, _ := w.suite(t)
		e := s.Evaluate(t.Context(), &rows[i].Interaction)
		f := e.Flag(schemas.Origin{}, schemas.PassDeep, rows[i].Interaction.OccurredAt)
		e.Release()
		if !known && folder != "" {
			t.Logf("%s: %s %s", rows[i].Interaction.ID, f.Signals[0].Outcome, f.Signals[0].Reason)
		}
		if known {
			each(&rows[i], f.Signals[0])
		}
	}
}

// TestOtherReaders compares further readers with the first: each file reader-*.jsonl holds the replies of one to some of the
// requests.
func TestOtherReaders(t *testing.T) {
	files, err := filepath.Glob(filepath.Join(judgeRows, "reader-*.jsonl"))
	require.NoError(t, err)
	require.NotEmpty(t, files)
	rows, first := readJudgeRows(t), map[string]bool{}
	judgeByReplies(t, rows, readReplies(t, "replies.jsonl"), func(row *schemas.Labelled, s schemas.Signal) {
		first[row.Interaction.ID] = s.Outcome == schemas.Fired
	})
	for _, file := range files {
		var labels, reader quality.Agreement
		judgeByReplies(t, rows, readReplies(t, filepath.Base(file)), func(row *schemas.Labelled, s schemas.Signal) {
			labels.Add(row.Kind, row.Label == 1, s.Outcome == schemas.Fired)
			reader.Add("", first[row.Interaction.ID], s.Outcome == schemas.Fired)
		})
		t.Logf("%s: %d rows, kappa with the first reader %.3f; with the labels: %.3f as labelled, recall %.3f, alarms %.3f, kappa %.3f",
			filepath.Base(file), labels.N(), reader.Kappa(), labels.Share(), labels.Recall(), labels.Alarms(), labels.Kappa())
		require.GreaterOrEqual(t, labels.N(), 30)
		require.GreaterOrEqual(t, reader.Kappa(), .8)
	}
}

// TestRecordedJudge requires that what a strong reader says of a request becomes the verdict that the label has. With
// CONFAB_JUDGE_REQUESTS=FOLDER it writes the requests there, under names that say nothing of the labels.
func TestRecordedJudge(t *testing.T) {
	rows := readJudgeRows(t)
	require.GreaterOrEqual(t, len(rows), 100)
	var total quality.Agreement
	judgeByReplies(t, rows, readReplies(t, "replies.jsonl"), func(row *schemas.Labelled, s schemas.Signal) {
		fired := s.Outcome == schemas.Fired
		if !fired {
			require.Equal(t, schemas.Clear, s.Outcome, "%s: %s", row.Interaction.ID, s.Reason)
		}
		total.Add(row.Kind, row.Label == 1, fired)
		if fired != (row.Label == 1) {
			t.Logf("%s, %s: label %d, score %.2f, %+v", row.Interaction.ID, row.Kind, row.Label, s.Score, s.Evidence)
		}
		if fired {
			require.NotEmpty(t, s.Evidence[0].Excerpt)
			require.NotEmpty(t, s.Evidence[0].Rule)
		}
	})
	t.Logf("%d rows: %.3f judged as labelled, recall %.3f, alarms %.3f, kappa %.3f", total.N(), total.Share(), total.Recall(), total.Alarms(), total.Kappa())
	require.Equal(t, len(rows), total.N(), "every request has a reply")
	require.GreaterOrEqual(t, total.Share(), .95)
	require.LessOrEqual(t, total.Alarms(), .03)
}
