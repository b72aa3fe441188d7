package markup

import (
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/stretchr/testify/require"
)

// words are the visible words of a blanked text.
func words(s string) string {
	return strings.Join(strings.Fields(strings.ReplaceAll(s, "\u00ad", "")), " ")
}

func TestBlankReasoning(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct{ name, text, want string }{
		{"closed", "<think>It may be Oslo.</think>\n\nIt is Bergen.", "It is Bergen."},
		{"with attributes", `<think type="draft" n=3>Oslo</think>Bergen`, "Bergen"},
		{"another name", "<Reasoning effort='high'>Oslo</reasoning> Bergen", "Bergen"},
		{"of a family", "<seed:think>Oslo, 3 km</seed:think>Bergen", "Bergen"},
		{"titled", "**Thinking:** 12 + 3 is 15.\n\n**Answer:** Bergen", "Bergen"},
		{"titled in words", "Here is my thought process:\nOslo?\nHere is my response:\nBergen", "Bergen"},
		{"a title alone", "Reasoning: the pass is closed.", "Reasoning: the pass is closed."},
		{"unclosed", "<think>It may be Oslo, or", "It may be Oslo, or"},
		{"unclosed, later line", "Bergen.\n<thinking>\nOr Oslo", "Bergen. Or Oslo"},
		{"closed at the end", "It is Oslo.\n</think>\n", "It is Oslo."},
		{"mentioned", "The <think> tag opens a block.", "The tag opens a block."},
		{"in code", "Write `<think>` before and `</think>` after it.", "Write `<think>` before and `</think>` after it."},
		{"opened in the prompt", "It may be Oslo.\n</think>\nBergen", "Bergen"},
		{"two blocks", "<think>a</think>b<think>c</think>d", "b d"},
		{"other marks", "<|begin_of_thought|>a<|end_of_thought|>b [THINK]c[/THINK]d ◁think▷e◁/think▷f", "b d f"},
		{"a channel", "<|channel>thought\na\n<channel|>b", "b"},
		{"comment", "a <!-- b --> c", "a b c"},
		{"unclosed comment", "a <!-- b c", "a b c"},
		{"another tag", "a <thinker>b</thinker>", "a <thinker>b</thinker>"},
		{"comparison", "1 < 2 and [3] > 2", "1 < 2 and [3] > 2"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			got := BlankReasoning(tt.text)
			require.Len(t, got, len(tt.text))
			require.Equal(t, tt.want, words(got))
		})
	}
}

func TestBlank(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct{ name, text, want string }{
		{"inline tags", `a <b class="x">b</b> c<br/>d`, "a b c d"},
		{"attributes of several lines", "<div\n style=\"color: #333\"\n hidden>a</div>", "a"},
		{"heading", "<h2>Prices</h2>", "# Prices"},
		{"table", "<table>\n<tr><th>Name</th><th>Age</th></tr>\n<tr><td>Ann</td>\n<td>42</td></tr></table>", "# Name | Age | Ann | 42"},
		{"row head", "<tr><th>Age</th><td>42</td></tr>", "| Age | 42"},
		{"style and script", "<style>b { color: red }</style>a<script>f(1)</script>", "a"},
		{"comparison", "a<b and c>d, x < y > z, List<String>", "a<b and c>d, x < y > z, List<String>"},
		{"entities", "F&uuml;r 5&nbsp;km &amp; don&#39;t", "Für 5 km & don’t"},
		{"no entity", "R&D; AT&T &unknown; &", "R&D; AT&T &unknown; &"},
		{"link", "see [the page](https://a.example/Doc?v=3) now", "see [the page] now"},
		{"link with a title", `[page](/doc "The Title")`, "[page]"},
		{"image", "a ![A red door](img/door-2.png) b", "a b"},
		{"call", "f[0](x) and [a](see there)", "f[0](x) and [a](see there)"},
		{"marker", "true [1](https://a.example/x).", "true [1] ."},
		{"task", "- [x] done\n- [ ] open", "- done - [ ] open"},
		{"rule", "---\nText\n---\nMore", "--- Text --- More"},
		{"in code", "`<b>` and `[a](/b)`", "`<b>` and `[a](/b)`"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			got := Blank(tt.text)
			require.Len(t, got, len(tt.text))
			require.Equal(t, tt.want, words(got))
		})
	}
}

func TestPlainTextIsNotCopied(t *testing.T) {
	s := strings.Repeat("The bridge opened in May 1937 [1], 3 < 4 & more. ", 40)
	require.Zero(t, testing.AllocsPerRun(10, func() { _ = Blank(BlankReasoning(s)) }))
}

// hostileMarkup are units that open what they never close.
func hostileMarkup() []string {
	return []string{
		"<think>", "<think a=", "</think>", "<", "<!--", "<a href=\"", "<td>", "<th>", "<tr><th>", "&", "&a", "[", "[a](", "](", "`", "<style>", "◁",
		"[THINK]", "---\n", "<script", "\xff<", "- [x] ",
	}
}

func FuzzBlank(f *testing.F) {
	for _, s := range hostileMarkup() {
		f.Add(s)
		f.Add(strings.Repeat(s, 50))
	}
	f.Fuzz(func(t *testing.T, s string) {
		got := Blank(BlankReasoning(s))
		require.Len(t, got, len(s))
		require.True(t, utf8.ValidString(got) || !utf8.ValidString(s), "no character is split")
	})
}

// BenchmarkHostileMarkup measures each hostile text at two lengths: equal rates mean linear time.
func BenchmarkHostileMarkup(b *testing.B) {
	for _, unit := range hostileMarkup() {
		for _, n := range []int{100_000, 200_000} {
			b.Run(strings.TrimSpace(unit)+map[int]string{100_000: "/1x", 200_000: "/2x"}[n], func(b *testing.B) {
				s := strings.Repeat(unit, n/len(unit))
				b.SetBytes(int64(len(s)))
				for b.Loop() {
					Blank(BlankReasoning(s))
				}
			})
		}
	}
}
