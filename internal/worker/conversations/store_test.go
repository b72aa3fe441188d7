package conversations_test

import (
	"fmt"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/testutil"
	"github.com/stretchr/testify/require"

	"confab/detectors"
	"confab/detectors/conversation"
	"confab/internal/redact"
	"confab/internal/worker/conversations"
	"confab/schemas"
)

type atHalf struct{}

func (atHalf) Threshold(string, string, string, string) (float64, bool) { return .5, true }

// harness is a store with a suite of the one detector.
type harness struct {
	*conversations.Store
	suite *detectors.Suite
	reg   *prometheus.Registry
	now   time.Time
}

func newHarness(t testing.TB, most int) *harness {
	t.Helper()
	h := &harness{reg: prometheus.NewRegistry(), now: time.Unix(1_000_000, 0)}
	now := func() time.Time { return h.now }
	var err error
	h.suite, err = detectors.NewSuite(detectors.Options{
		Detectors:  []detectors.Entry{detectors.TextEntry("conversation", schemas.Conversation, nil, conversation.New)},
		Thresholds: atHalf{}, Now: now, Redact: redact.Redact,
	})
	require.NoError(t, err)
	h.Store = conversations.New(conversations.Options{
		Max: most, TTL: time.Hour, Now: now, Redact: redact.Redact, Off: func(tenant string) bool { return tenant == "private" },
	}, h.reg)
	return h
}

// say passes an answer of the partition and returns the numbers of the turns that contradict it.
func (h *harness) say(t testing.TB, partition int32, in *schemas.Interaction) (turns []int) {
	t.Helper()
	p := h.Recall(in, schemas.Origin{Topic: "in", Partition: partition})
	e := h.suite.Evaluate(t.Context(), in)
	defer e.Release()
	h.Keep(p, e)
	f := e.Flag(schemas.Origin{}, schemas.PassFast, h.now)
	for _, row := range f.Signals[0].Evidence {
		turns = append(turns, row.Turn)
	}
	return turns
}

// answer is the n-th answer of a conversation.
func answer(conversation string, n int, text string) *schemas.Interaction {
	return &schemas.Interaction{
		ID: fmt.Sprintf("%s-%d", conversation, n), Tenant: "acme", ConversationID: conversation, Answer: text,
		Messages: []schemas.Message{{Role: "user", Content: "When does the coach to Inverness leave?"}},
	}
}

const (
	first   = "The coach to Inverness leaves at 09:40 from bay 7."
	between = "Bikes travel in the hold of the coach."
	other   = "The coach to Inverness leaves at 10:40 from bay 7."
)

func TestContradictionAcrossRecords(t *testing.T) {
	h := newHarness(t, 10)
	require.Empty(t, h.say(t, 0, answer("c", 1, first)))
	require.Empty(t, h.say(t, 0, answer("c", 2, between)))
	require.Equal(t, []int{1}, h.say(t, 0, answer("c", 3, other)))
	require.Empty(t, h.say(t, 0, answer("d", 1, other)), "another conversation")
	stranger := answer("c", 4, other)
	stranger.Tenant = "umbrella"
	require.Empty(t, h.say(t, 0, stranger), "another tenant")
	require.Empty(t, h.say(t, 1, answer("c", 5, other)), "another partition")
}

// A record that is read again is compared with what came before it the first time, and the later ones stay comparable.
func TestRedelivery(t *testing.T) {
	h := newHarness(t, 10)
	for range 3 {
		require.Empty(t, h.say(t, 0, answer("c", 1, first)))
		require.Empty(t, h.say(t, 0, answer("c", 2, between)))
		require.Equal(t, []int{1}, h.say(t, 0, answer("c", 3, other)))
	}
	for range 2 {
		require.Empty(t, h.say(t, 0, answer("c", 1, first)), "out of order")
		require.Equal(t, []int{1}, h.say(t, 0, answer("c", 3, other)))
	}
	require.Equal(t, 1, h.Len())
}

func TestConversationsAreForgotten(t *testing.T) {
	t.Run("bound", func(t *testing.T) {
		h := newHarness(t, 2)
		require.Empty(t, h.say(t, 0, answer("a", 1, first)))
		require.Empty(t, h.say(t, 0, answer("b", 1, first)))
		require.Empty(t, h.say(t, 0, answer("a", 2, between)))
		require.Empty(t, h.say(t, 0, answer("c", 1, first)), "b is the one longest without an answer")
		require.Equal(t, []int{1}, h.say(t, 0, answer("a", 3, other)))
		require.Empty(t, h.say(t, 0, answer("b", 2, other)))
		require.Equal(t, 2, h.Len())
		require.NoError(t, testutil.GatherAndCompare(h.reg, strings.NewReader(`# HELP confab_conversations_evicted_total Open conversations that were forgotten early, because of conversations.max.
# TYPE confab_conversations_evicted_total counter
confab_conversations_evicted_total 2
# HELP confab_conversations_open Conversations whose earlier answers are kept to compare the next one with.
# TYPE confab_conversations_open gauge
confab_conversations_open 2
`)))
	})
	t.Run("time", func(t *testing.T) {
		h := newHarness(t, 10)
		require.Empty(t, h.say(t, 0, answer("a", 1, first)))
		h.now = h.now.Add(time.Hour)
		require.Empty(t, h.say(t, 0, answer("a", 2, between)))
		h.now = h.now.Add(time.Hour)
		require.Equal(t, []int{1}, h.say(t, 0, answer("a", 3, other)), "since the last answer")
		h.now = h.now.Add(time.Hour + time.Second)
		require.Empty(t, h.say(t, 0, answer("a", 4, other)))
		require.Equal(t, 1, h.Len())
	})
	t.Run("owner", func(t *testing.T) {
		h := newHarness(t, 10)
		require.Empty(t, h.say(t, 0, answer("a", 1, first)))
		require.Empty(t, h.say(t, 1, answer("b", 1, first)))
		h.Drop("in", []int32{0})
		h.Drop("another topic", []int32{1})
		require.Empty(t, h.say(t, 0, answer("a", 2, other)))
		require.Equal(t, []int{1}, h.say(t, 1, answer("b", 2, other)))
	})
	t.Run("turns", func(t *testing.T) {
		h := newHarness(t, 10)
		require.Empty(t, h.say(t, 0, answer("a", 1, first)))
		for n := range 15 {
			require.Empty(t, h.say(t, 0, answer("a", 2+n, between)))
		}
		require.Equal(t, []int{1}, h.say(t, 0, answer("a", 17, other)))
		require.Equal(t, []int{17}, h.say(t, 0, answer("a", 18, first)), "the first is gone")
	})
}

func TestWhatIsNotKept(t *testing.T) {
	h := newHarness(t, 10)
	private := answer("a", 1, first)
	private.Tenant = "private"
	alone := answer("", 1, first)
	whole := answer("b", 1, first)
	whole.Messages = append(whole.Messages, schemas.Message{Role: "assistant", Content: "Hello."}, schemas.Message{Role: "user", Content: "When?"})
	for _, in := range []*schemas.Interaction{private, alone, whole} {
		require.Empty(t, h.say(t, 0, in))
		require.Zero(t, h.Len())
	}
	require.Empty(t, h.say(t, 0, answer("c", 1, "Your order is sent to anna.smith@mail.example on 4 May, with 3 parcels.")))
	again := answer("c", 2, between)
	h.Recall(again, schemas.Origin{Topic: "in"})
	require.NotEmpty(t, again.Earlier[0].Facts)
	for _, f := range again.Earlier[0].Facts {
		require.Contains(t, f.Text, "[email]")
		require.NotContains(t, f.Text, "anna")
		require.LessOrEqual(t, len([]rune(f.Text)), 160)
	}
}

// memory is what each of n open conversations of three answers takes, in bytes.
func memory(t testing.TB, n int) float64 {
	t.Helper()
	h := newHarness(t, n)
	heap := func() uint64 {
		runtime.GC()
		var m runtime.MemStats
		runtime.ReadMemStats(&m)
		return m.HeapAlloc
	}
	h.say(t, 0, answer("warm", 1, first))
	before := heap()
	for i := range n {
		c := fmt.Sprint("conversation-", i)
		h.say(t, 0, answer(c, 1, first+" A single ticket costs £18.50, and bikes are not allowed on Fridays."))
		h.say(t, 0, answer(c, 2, between+" They need a reservation of £8, which is included in the Plus fare."))
		h.say(t, 0, answer(c, 3, "Yes, the return coach leaves Inverness on 14 May at 16:15."))
	}
	each := float64(heap()-before) / float64(n)
	require.Equal(t, n, h.Len())
	return each
}

func TestMemory(t *testing.T) { require.Less(t, memory(t, 2000), 5000.) }

func BenchmarkOpenConversations(b *testing.B) {
	for b.Loop() {
		b.ReportMetric(memory(b, 100_000), "B/conversation")
	}
}

// Nothing of a text that is redacted is kept where an excerpt is cut within it.
func TestExcerptIsCutBetweenWords(t *testing.T) {
	h := newHarness(t, 10)
	for pad := range 60 {
		c := fmt.Sprint("c", pad)
		filler := strings.Repeat("x", pad)
		h.say(t, 0, answer(c, 1, "The coach to Inverness leaves at 09:40 from bay 7 "+strings.Repeat("or so ", 12)+filler+" card 4111 1111 1111 1111 says anna.smith.anderson@mail.example to everybody."))
		again := answer(c, 2, between)
		h.Recall(again, schemas.Origin{Topic: "in"})
		require.NotEmpty(t, again.Earlier[0].Facts)
		for _, turn := range again.Earlier {
			for _, f := range turn.Facts {
				require.NotContains(t, f.Text, "ann")
				require.NotContains(t, f.Text, "ail.example", f.Text)
				require.NotContains(t, f.Text, "1111", f.Text)
			}
		}
	}
}
