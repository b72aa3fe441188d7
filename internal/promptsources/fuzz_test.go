package promptsources

import (
	"slices"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/stretchr/testify/require"

	"confab/internal/hostile"
	"confab/schemas"
)

// requireConsistent checks what Fill promises of any messages.
func requireConsistent(t *testing.T, in *schemas.Interaction) {
	t.Helper()
	require.LessOrEqual(t, len(in.Sources), MaxPassages)
	require.Equal(t, len(in.Sources) == 0, in.SourcesFrom == schemas.SourcesFromNone, in.SourcesFrom)
	for _, s := range in.Sources {
		require.NotEmpty(t, strings.TrimSpace(s.Text))
		require.True(t, utf8.ValidString(s.Text) && utf8.ValidString(s.ID))
	}
	for i := range in.Messages {
		m := &in.Messages[i]
		require.True(t, 0 <= m.SourcesStart && m.SourcesStart <= m.SourcesEnd && m.SourcesEnd <= len(m.Content))
		require.True(t, 0 <= m.QuestionStart && m.QuestionStart <= m.QuestionEnd && m.QuestionEnd <= len(m.Content))
		require.True(t, utf8.ValidString(m.Content[m.QuestionStart:m.QuestionEnd]))
		before, after := m.Instructions()
		require.True(t, utf8.ValidString(before) && utf8.ValidString(after))
	}
}

func FuzzFill(f *testing.F) {
	for _, messages := range negatives() {
		f.Add(messages[0].Role, messages[0].Content, messages[len(messages)-1].Content)
	}
	for _, c := range positives {
		f.Add(c.messages[0].Role, c.messages[0].Content, c.messages[len(c.messages)-1].Content)
	}
	in := schemas.Interaction{Messages: prompt("When?"), Sources: []schemas.Source{{Text: paris}, {Text: prices}}}
	for _, s := range Shapes() {
		moved := s.Move(&in)
		f.Add(moved.Messages[0].Role, moved.Messages[0].Content, moved.Messages[len(moved.Messages)-1].Content)
	}
	f.Fuzz(func(t *testing.T, role, first, last string) {
		first, last = strings.ToValidUTF8(first, "?"), strings.ToValidUTF8(last, "?")
		for _, second := range []string{"user", "tool"} {
			in := schemas.Interaction{Messages: []schemas.Message{{Role: role, Content: first}, {Role: second, Content: last}}, Answer: first}
			new(Finder).Fill(&in)
			requireConsistent(t, &in)
		}
	})
}

func TestHostileMessages(t *testing.T) {
	found := 0
	for _, k := range hostile.Kinds() {
		if !strings.HasPrefix(k.Name, "prompt: ") {
			continue
		}
		r := k.Record(k.Full, 0)
		new(Finder).Fill(&r.Interaction)
		requireConsistent(t, &r.Interaction)
		found++
	}
	require.GreaterOrEqual(t, found, 20)
}

// TestNothingFoundAllocatesLittle: most interactions without sources have none in their messages either.
func TestNothingFoundAllocatesLittle(t *testing.T) {
	all := negatives()
	for name, messages := range all {
		in := schemas.Interaction{Messages: slices.Clone(messages)}
		require.LessOrEqual(t, testing.AllocsPerRun(10, func() {
			in.SourcesFrom = ""
			new(Finder).Fill(&in)
		}), 30.0, name)
	}
}

func BenchmarkFill(b *testing.B) {
	filler := strings.Repeat("You are an assistant that answers questions of travellers on islands and ferries.\n", 100)
	for name, messages := range map[string][]schemas.Message{
		"own sources": prompt(filler),
		"nothing":     prompt(filler + "\n\nWhen does the ferry leave?"),
		"context":     prompt("Answer from the context.\n\nContext:\n" + strings.Repeat(paris+"\n\n", 100) + "\nQuestion: When?\nAnswer:"),
		"tags":        prompt("<documents>\n" + strings.Repeat("<document index=\"1\">\n"+paris+"\n</document>\n", 50) + "</documents>\n\nWhen?"),
		"tool":        results("[" + strings.TrimSuffix(strings.Repeat(`{"id": 1, "text": "`+paris+`"},`, 50), ",") + "]"),
	} {
		b.Run(name, func(b *testing.B) {
			in := schemas.Interaction{Messages: messages}
			b.ReportAllocs()
			for b.Loop() {
				in.SourcesFrom, in.Sources = "", in.Sources[:0]
				if name == "own sources" {
					in.Sources = append(in.Sources, schemas.Source{Text: paris})
				}
				new(Finder).Fill(&in)
			}
		})
	}
	for _, k := range hostile.Kinds() {
		if !strings.HasPrefix(k.Name, "prompt: ") {
			continue
		}
		r := k.Record(4*k.Full, 0)
		b.Run(k.Name, func(b *testing.B) {
			for b.Loop() {
				r.Interaction.SourcesFrom, r.Interaction.Sources = "", r.Interaction.Sources[:0]
				new(Finder).Fill(&r.Interaction)
			}
		})
	}
}
