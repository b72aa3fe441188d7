package standard_test

import (
	"encoding/json"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"confab/detectors"
	"confab/schemas"
)

// readingCase is a source with a wrong and a right answer, and each as a question that a fragment answers.
type readingCase struct{ source, wrong, right, wrongAsked, rightAsked string }

func readingCases() map[string]readingCase {
	return map[string]readingCase{
		"lamp": {
			"The lamp costs 20 euros. It was designed by Anna Rossi in 2005 in Milan.",
			"The lamp costs 30 euros and was designed by Peter Novak in 1987 in Berlin [1].",
			"The lamp costs 20 euros and was designed by Anna Rossi in 2005 in Milan [1].",
			"What costs 30 euros and was designed by Peter Novak in 1987 in Berlin? The lamp.",
			"What costs 20 euros and was designed by Anna Rossi in 2005 in Milan? The lamp.",
		},
		"lease": {
			"The office lease in Harborne runs until 31 March 2027. The monthly rent is 4,800 pounds and the landlord is Brightwell Estates.",
			"The lease runs until 30 June 2031 and the landlord Colston Partners charges a monthly rent of 7,350 pounds [1].",
			"The lease runs until 31 March 2027 and the landlord Brightwell Estates charges a monthly rent of 4,800 pounds [1].",
			"What runs until 30 June 2031 at a monthly rent of 7,350 pounds from Colston Partners? The lease.",
			"What runs until 31 March 2027 at a monthly rent of 4,800 pounds from Brightwell Estates? The lease.",
		},
		"trial": {
			"In the trial 412 patients received Velutin. After 12 weeks the pain score fell by 38 percent. The study was led by Marta Lindqvist at Uppsala.",
			"The trial was led by Henrik Dahl in Oslo and after 52 weeks the pain score of 960 patients fell by 71 percent [1].",
			"The trial was led by Marta Lindqvist at Uppsala and after 12 weeks the pain score of 412 patients fell by 38 percent [1].",
			"Which trial was led by Henrik Dahl in Oslo with 960 patients over 52 weeks? Velutin.",
			"Which trial was led by Marta Lindqvist at Uppsala with 412 patients over 12 weeks? Velutin.",
		},
	}
}

// readingForms are ways to write an answer: %a is the answer, %o the answer without its citation and full stop, %g the right
// answer, %j the answer as a JSON string, %w the answer in two lines.
func readingForms() map[string]string {
	return map[string]string{
		"plain": "%a", "fence": "```\n%a\n```", "fence of text": "```text\n%a\n```", "fence of python": "```python\n%a\n```",
		"open fence": "```\n%a", "introduced fence": "Here is the answer:\n\n```\n%a\n```", "fence without full stop": "```\n%o\n```",
		"fence after a right sentence": "%g\n\n```\n%a\n```", "tildes": "~~~\n%a\n~~~", "open tildes": "~~~markdown\n%a",
		"fence with code and prose": "```python\nx = f(1)\nprint(x)\n%a\n```", "fence within a line": "```%a```", "fence with the answer as language": "```%a\n```",
		"fence of JSON": "```json\n{\n  \"answer\": %j\n}\n```", "fence of JSON in a line": "```json\n{\"answer\": %j}\n```", "fence of YAML": "```yaml\nanswer: %a\n```",
		"fence of comments": "```python\n# %a\n```", "indented fence": "   ```\n   %a\n   ```", "fence in a list": "- Answer:\n  ```\n  %a\n  ```",
		"fence in a fence": "````md\n```\n%a\n```\n````", "fence with two lines": "```\n%w\n```", "fence of HTML": "```html\n<p>%a</p>\n```",
		"fence in a quotation": "> ```\n> %a\n> ```", "fence with line feeds": "```\r\n%a\r\n```\r\n",
		"heading": "# %a", "heading without full stop": "# %o", "small heading": "### %a\n", "underlined heading": "%o\n=====", "heading and text": "# %a\n\nI hope this helps.",
		"closed heading": "## %a ##", "heading of HTML": "<h1>%a</h1>", "heading of a row": "<table><tr><th>%a</th></tr></table>",
		"open think": "<think>%a", "open think in its line": "<think>\n%a\n", "closed think without start": "%a\n</think>", "open thinking": "<thinking>\n%a",
		"open bracket": "[THINK]%a", "open channel": "<|channel|>analysis<|message|>%a", "open think after a right sentence": "%g\n<think>\n%a",
		"comment": "<!-- %a -->", "open comment": "<!-- %a", "comment after a right sentence": "%g <!-- %a -->",
		"image": "![%o](a.png)", "image of HTML": "<img src=\"a.png\" alt=\"%a\">", "title": "<span title=\"%a\">i</span>", "title of a link": "[here](https://x.example/a \"%o\")",
		"link": "[%a](https://x.example/a)", "details": "<details><summary>Answer</summary>%a</details>", "summary": "<details><summary>%a</summary></details>",
		"script": "<script>%a</script>", "style": "<style>%a</style>", "pre": "<pre>%a</pre>", "code": "<pre><code>%a</code></pre>",
		"quotation": "> %a", "callout": "> [!NOTE]\n> %a", "table": "| Answer |\n|---|\n| %a |", "head of a table": "| %a |\n|---|", "list": "- %a",
		"inline code": "`%a`", "bold": "**%o**\n\nI hope this helps.", "JSON": "{\"answer\": %j}", "front matter": "---\nanswer: %a\n---\n",
		"question": "%q",
	}
}

// TestAnswersAreReadInEveryForm requires that a right answer fires nothing and that a wrong one is measured and ranks above it,
// whatever form a user asks for. Questions and headings beside a statement are not judged.
func TestAnswersAreReadInEveryForm(t *testing.T) {
	suite := qualitySuite(t)
	for subject, tt := range readingCases() {
		for name, form := range readingForms() {
			t.Run(subject+"/"+name, func(t *testing.T) {
				right, wrong := tt.write(t, form, tt.right, tt.rightAsked), tt.write(t, form, tt.wrong, tt.wrongAsked)
				require.Empty(t, firedOn(t, suite, right), right.Answer)
				require.Greater(t, logOddsOf(t, suite, wrong), logOddsOf(t, suite, right), wrong.Answer)
			})
		}
	}
}

// logOddsOf returns the log-odds that the answer is wrong. Grounding must have measured it.
func logOddsOf(t *testing.T, suite *detectors.Suite, in *schemas.Interaction) float64 {
	t.Helper()
	e := suite.Evaluate(t.Context(), in)
	defer e.Release()
	require.Contains(t, e.Measurable(), "grounding", in.Answer)
	measured, _ := e.FusedSets()
	return e.LogOdds(measured)
}

func (c *readingCase) write(t *testing.T, form, answer, asked string) *schemas.Interaction {
	t.Helper()
	quoted, err := json.Marshal(answer)
	require.NoError(t, err)
	open := strings.TrimSuffix(answer, " [1].")
	half := strings.LastIndexByte(answer[:len(answer)/2], ' ')
	r := strings.NewReplacer("%a", answer, "%o", open, "%g", c.right, "%j", string(quoted), "%w", answer[:half]+"\n"+answer[half+1:], "%q", asked)
	return &schemas.Interaction{ID: "1", Answer: r.Replace(form), Sources: []schemas.Source{{ID: "1", Text: c.source}}}
}

// TestCodeIsNotReadAsProse requires that code, whatever its language, is no statement.
func TestCodeIsNotReadAsProse(t *testing.T) {
	suite := qualitySuite(t)
	for name, code := range map[string]string{
		"python":    "```python\nimport json\n\ndef load(path):\n    \"\"\"Load the old settings of every user from a file.\"\"\"\n    # Open the file and read all the lines of it.\n    with open(path) as f:\n        return json.load(f)\n```",
		"no name":   "```\nfor i := range items {\n\tfmt.Println(items[i].Name, items[i].Price)\n}\n```",
		"tildes":    "~~~sh\nexport TOKEN=abc\ncurl -H \"Authorization: Bearer $TOKEN\" https://api.example/v1/users\n~~~",
		"statement": "```sql\nSELECT name, price FROM lamps WHERE price > 30 ORDER BY price DESC;\n```",
		"commands":  "```\nnpm install\nnpm run build -- --prod\ngit push origin main\n```",
		"settings":  "```yaml\nserver:\n  port: 8080\n  name: web-1\n```",
		"open":      "```js\nconst total = items.reduce((sum, i) => sum + i.price, 0);\nconsole.log(`Total: ${total}`);",
		"class":     "```java\npublic class Lamp {\n  private final int price = 30; // The price of the lamp in euros.\n}\n```",
	} {
		t.Run(name, func(t *testing.T) {
			tt := readingCases()["lamp"]
			in := tt.write(t, "%g\n\n"+code, tt.right, "")
			require.Empty(t, firedOn(t, suite, in))
			e := suite.Evaluate(t.Context(), in)
			defer e.Release()
			require.Equal(t, []string{schemas.UncheckedNotProse}, e.Coverage().Reasons())
		})
	}
}

// firedOn returns the detectors that fire on the answer.
func firedOn(t *testing.T, suite *detectors.Suite, in *schemas.Interaction) []string {
	t.Helper()
	e := suite.Evaluate(t.Context(), in)
	defer e.Release()
	return slices.Clone(e.Fired())
}
