package slack

import (
	"encoding/json"
	"encoding/xml"
	"fmt"
	"html"
	"io"
	"strings"
	"testing"
	"unicode"

	"github.com/slack-go/slack"
	"github.com/stretchr/testify/require"

	"confab/alerting/alerttest"
	"confab/alerting/alerttest/samples"
	"confab/internal/golden"
)

// The picture in docs/alerts.md is drawn from the Block Kit JSON of a golden file; -update draws it again.
func TestPicture(t *testing.T) {
	alert := samples.GroupAlert()
	alert.Feedback = samples.Feedback()[1:2]
	first := alert.Riskiest[0].Signals[0].Evidence[0]
	for i, said := range []string{"It was opened to traffic in 1937.", "Since 1937, when it opened, it has carried two lanes."} {
		e := &alert.Riskiest[i+1].Signals[0].Evidence[0] // a group is one problem: the same passage says otherwise
		e.Excerpt, e.Note, e.SourceSays, e.SourceExcerpt = said, "1937", first.SourceSays, first.SourceExcerpt
	}
	raw := indentJSON(t, renderAlert(&alert, alerttest.RenderAll()))
	golden.Equal(t, "testdata/picture.json", raw)
	var m struct {
		Blocks slack.Blocks `json:"blocks"`
	}
	require.NoError(t, json.Unmarshal(raw, &m))
	picture := drawMessage(t, m.Blocks.BlockSet)
	for _, r := range picture {
		require.Less(t, r, rune(0x2500), "fonts lack %q: draw it as a path", r)
	}
	golden.Equal(t, "../../docs/alert.svg", picture)

	tokens := xml.NewDecoder(strings.NewReader(picture))
	for {
		if _, err := tokens.Token(); err != nil {
			require.ErrorIs(t, err, io.EOF)
			break
		}
	}
	for _, word := range []string{"Possible hallucination ×38", "37 similar, 3 models", "Answer is fine", "wrong by @Jane Doe", "Asked: ", "1935"} {
		require.Contains(t, picture, word)
	}
}

const (
	pictureWidth = 800.0
	textLeft     = 66.0
	textRight    = pictureWidth - 20
)

// messagePicture is an SVG that is drawn from top to bottom.
type messagePicture struct {
	strings.Builder
	y float64
}

// drawMessage draws blocks approximately as a chat client does.
func drawMessage(t testing.TB, blocks []slack.Block) string {
	c := &messagePicture{y: 38}
	c.WriteString(`<rect class="badge" x="20" y="20" width="36" height="36" rx="8"/><text class="logo" x="38" y="45" text-anchor="middle">C</text>` + "\n")
	c.text(textLeft, "who", "Confab")
	c.WriteString(`<rect class="app" x="128" y="26" width="32" height="15" rx="3"/><text class="tag" x="133" y="37">APP</text><text class="small" x="169" y="37">10:04</text>` + "\n")
	c.y += 10
	for _, b := range blocks {
		switch b := b.(type) {
		case *slack.HeaderBlock:
			c.paragraph(textLeft, textRight, textStyle{"head", 18, 26, false}, b.Text.Text)
		case *slack.SectionBlock:
			c.fields(b)
		case *slack.RichTextBlock:
			if b.BlockID == blockFeedback { // clients show the name of a user
				c.small([]string{strings.ReplaceAll(strings.Join(feedbackLines(b), " "), samples.Feedback()[1].User, "@Jane Doe")})
			} else {
				c.richText(t, b)
			}
		case *slack.ContextBlock:
			var texts []string
			for _, e := range b.ContextElements.Elements {
				texts = append(texts, e.(*slack.TextBlockObject).Text)
			}
			c.small(texts)
		case *slack.ActionBlock:
			c.buttons(t, b)
		default:
			t.Fatalf("a block %T cannot be drawn", b)
		}
		c.y += 8
	}
	return fmt.Sprintf(`<svg xmlns="http://www.w3.org/2000/svg" width="%[1]d" height="%[2]d" viewBox="0 0 %[1]d %[2]d" role="img" aria-label="A message to on-call, drawn from its Block Kit JSON">
`, int(pictureWidth), int(c.y+14)) + pictureStyle + c.String() + "</svg>\n"
}

const pictureStyle = `<style>
text{font-size:15px;font-family:system-ui,"Segoe UI",Roboto,"Helvetica Neue",Arial,sans-serif;fill:#1d1c1d;white-space:pre}
.strong{font-weight:800}.head{font-size:18px;font-weight:800}.who{font-weight:800}.small{font-size:12px;fill:#616061}
.mono{font-size:12px;font-family:ui-monospace,Menlo,Consolas,"DejaVu Sans Mono",monospace}
.page{fill:#fff;stroke:#ddd}.box{fill:#f8f8f8;stroke:#ddd}.button{fill:#fff;stroke:#616061}.primary{fill:#007a5a;stroke:#007a5a}
.label{font-size:13px;font-weight:700}.on{fill:#fff}.badge{fill:#4a3a8c}.logo{font-size:22px;font-weight:800;fill:#fff}
.app{fill:#ddd}.tag{font-size:10px;font-weight:700;fill:#616061}
@media (prefers-color-scheme:dark){text{fill:#d1d2d3}.small,.tag{fill:#ababad}.on,.logo{fill:#fff}.page{fill:#1a1d21;stroke:#3c3f44}
.box{fill:#222529;stroke:#3c3f44}.button{fill:#1a1d21;stroke:#ababad}.primary{fill:#007a5a;stroke:#007a5a}.app{fill:#3c3f44}}
</style>
<rect class="page" x=".5" y=".5" width="99.9%" height="99.9%" rx="8"/>
`

type textStyle struct {
	class        string
	size, height float64
	mono         bool
}

// icons are paths for the characters that many fonts lack, in a square of 16.
func icons() map[string]string {
	return map[string]string{
		"🚨": `<path fill="#d33" d="M4 12V7a4 4 0 0 1 8 0v5z"/><path fill="#888" d="M2 12h12v3H2z"/><path stroke="#d33" stroke-width="1.5" d="M8 0v2M1 3l2 1.5M15 3l-2 1.5"/>`,
		"✔": `<path fill="none" stroke="#2a8" stroke-width="2.5" d="M2 9l4 4 8-10"/>`,
		"✘": `<path fill="none" stroke="#d33" stroke-width="2.5" d="M3 3l10 10M13 3L3 13"/>`,
	}
}

// text writes at the current height. A leading icon is drawn as a path.
func (c *messagePicture) text(x float64, class, s string) {
	for char, path := range icons() {
		if rest, ok := strings.CutPrefix(s, char); ok {
			fmt.Fprintf(c, `<g transform="translate(%.0f %.0f)">%s</g>`+"\n", x, c.y-13, path)
			s, x = strings.TrimPrefix(rest, " "), x+22
		}
	}
	fmt.Fprintf(c, `<text class="%s" x="%.0f" y="%.0f">%s</text>`+"\n", class, x, c.y, html.EscapeString(s))
}

// paragraph writes wrapped lines.
func (c *messagePicture) paragraph(from, to float64, s textStyle, text string) {
	for line := range strings.SplitSeq(html.UnescapeString(text), "\n") {
		for _, part := range wrapLine(line, to-from, s) {
			c.y += s.height
			c.text(from, s.class, part)
		}
	}
}

// fields writes two columns.
func (c *messagePicture) fields(b *slack.SectionBlock) {
	plain := textStyle{"", 15, 21, false}
	if b.Text != nil {
		c.paragraph(textLeft, textRight, plain, b.Text.Text)
	}
	const column = (textRight - textLeft) / 2
	for i := 0; i < len(b.Fields); i += 2 {
		top, bottom := c.y, c.y
		for j, f := range b.Fields[i:min(i+2, len(b.Fields))] {
			c.y = top
			c.paragraph(textLeft+float64(j)*column, textLeft+float64(j+1)*column-12, plain, f.Text)
			bottom = max(bottom, c.y)
		}
		c.y = bottom + 6
	}
}

func (c *messagePicture) richText(t testing.TB, b *slack.RichTextBlock) {
	for _, e := range b.Elements {
		quote, ok := e.(*slack.RichTextQuote)
		require.True(t, ok, "%T cannot be drawn", e)
		top := c.y + 6
		s := textStyle{"", 15, 21, false}
		spans, width := "", 0.0
		flush := func() {
			c.y += s.height
			fmt.Fprintf(c, `<text x="%.0f" y="%.0f">%s</text>`+"\n", textLeft+14, c.y, spans)
			spans, width = "", 0
		}
		for _, part := range quote.Elements {
			text, ok := part.(*slack.RichTextSectionTextElement)
			require.True(t, ok)
			wrap := html.EscapeString
			if text.Style != nil && text.Style.Bold {
				wrap = func(s string) string { return `<tspan class="strong">` + html.EscapeString(s) + `</tspan>` }
			}
			for i, line := range strings.Split(text.Text, "\n") {
				if i > 0 {
					flush()
				}
				for word := range strings.SplitAfterSeq(line, " ") {
					if width > 0 && width+textWidth(word, s) > textRight-textLeft-14 {
						flush()
					}
					width += textWidth(word, s)
					spans += wrap(word)
				}
			}
		}
		flush()
		fmt.Fprintf(c, `<rect class="app" x="%.0f" y="%.0f" width="4" height="%.0f" rx="2"/>`+"\n", textLeft, top, c.y-top+6)
		c.y += 8
	}
}

// small writes elements next to each other while they fit.
func (c *messagePicture) small(elements []string) {
	s := textStyle{"small", 12, 18, false}
	x := textLeft
	c.y += s.height
	for _, e := range elements {
		e = html.UnescapeString(e)
		if x > textLeft && x+textWidth(e, s) > textRight {
			x = textLeft
			c.y += s.height
		}
		for i, part := range wrapLine(e, textRight-textLeft, s) {
			if i > 0 {
				c.y += s.height
			}
			c.text(x, s.class, part)
			e = part
		}
		x += textWidth(e, s) + 10
	}
}

func (c *messagePicture) buttons(t testing.TB, b *slack.ActionBlock) {
	x := textLeft
	for _, e := range b.Elements.ElementSet {
		button, ok := e.(*slack.ButtonBlockElement)
		require.True(t, ok)
		class, label := "button", "label"
		if button.Style == slack.StylePrimary {
			class, label = "button primary", "label on"
		}
		w := textWidth(button.Text.Text, textStyle{"", 13, 0, false})*1.12 + 26
		fmt.Fprintf(c, `<rect class="%s" x="%.0f" y="%.0f" width="%.0f" height="30" rx="5"/>`, class, x, c.y+8, w)
		fmt.Fprintf(c, `<text class="%s" x="%.0f" y="%.0f" text-anchor="middle">%s</text>`+"\n", label, x+w/2, c.y+28, html.EscapeString(button.Text.Text))
		x += w + 10
	}
	c.y += 40
}

// wrapLine breaks a line at spaces, and long words anywhere.
func wrapLine(line string, limit float64, s textStyle) []string {
	var out []string
	now := ""
	for word := range strings.SplitSeq(line, " ") {
		next := word
		if now != "" {
			next = now + " " + word
		}
		if textWidth(next, s) > limit && now != "" {
			out = append(out, now)
			next = word
		}
		for textWidth(next, s) > limit {
			cut := 0
			for i := range next {
				if textWidth(next[:i], s) > limit {
					break
				}
				cut = i
			}
			out = append(out, next[:cut])
			next = next[cut:]
		}
		now = next
	}
	return append(out, now)
}

// textWidth estimates the width of text in common fonts.
func textWidth(text string, s textStyle) float64 {
	w := 0.0
	for _, r := range text {
		switch {
		case s.mono:
			w += 0.61
		case r > 0x2600:
			w += 1.35
		case strings.ContainsRune("iljtfI.,:;'|!()[] ", r):
			w += 0.36
		case unicode.IsUpper(r), strings.ContainsRune("mw", r):
			w += 0.76
		default:
			w += 0.615
		}
	}
	return w * s.size
}
