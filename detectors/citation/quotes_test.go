package citation

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"confab/detectors"
	"confab/detectors/detectortest"
	"confab/schemas"
)

const minutes = `The council met on Monday. "We will rebuild the old bridge before the winter," said Ada Nyström, the mayor. ` +
	`"Nobody has told us what it costs," Boris Quaye replied. She continued: "The work begins in May."`

// faultsOf renders the faults as "words" or "words→speaker".
func faultsOf(t *testing.T, in *schemas.Interaction) []string {
	t.Helper()
	var doc detectors.Document
	doc.Reset(in)
	found := []string{}
	for _, f := range Faults(&doc) {
		s := in.Answer[f.Start:f.End]
		if f.Speaker != "" {
			s += "→" + f.Speaker
			require.Contains(t, in.Sources[f.Source].Text[f.SourceStart:f.SourceEnd], "t")
		}
		found = append(found, s)
	}
	return found
}

func TestQuotations(t *testing.T) {
	t.Parallel()
	const right, wrong = "We will rebuild the old bridge before the winter", "We will rebuild the town hall before the winter"
	tests := map[string]struct {
		answer string
		want   []string
	}{
		"verbatim":                    {`"We will rebuild the old bridge before the winter," said Nyström.`, nil},
		"curly":                       {"“We will rebuild the old bridge before the winter,” said Nyström.", nil},
		"before the quotation":        {`Mayor Ada Nyström said: "We will rebuild the old bridge before the winter."`, nil},
		"case and punctuation":        {`Nyström said, "we will rebuild: the old bridge, before the winter!"`, nil},
		"omission":                    {`Nyström said: "We will rebuild the old bridge … before the winter."`, nil},
		"omission of words":           {`Nyström said: "We will rebuild [...] before the winter."`, nil},
		"insertion":                   {`Nyström said: "We will rebuild the old bridge [in Vellmar] before the winter."`, nil},
		"a part":                      {`Nyström said that they "will rebuild the old bridge" soon.`, nil},
		"interrupted":                 {`Nyström said: "We will rebuild the old bridge before the winter. The work begins in May."`, nil},
		"slip of the pen":             {`Nyström said: "We shall rebuild the old bridge before the winter."`, nil},
		"other words":                 {`"` + wrong + `," said Nyström.`, []string{wrong + ","}},
		"other words, cited":          {`They promised it: "` + wrong + `" [1].`, []string{wrong}},
		"other words, according to":   {`According to the mayor, "` + wrong + `".`, []string{wrong}},
		"other speaker":               {`"` + right + `," said Boris Quaye.`, []string{right + ",→Nyström"}},
		"other speaker before":        {`Quaye said: "` + right + `."`, []string{right + ".→Nyström"}},
		"unknown speaker":             {`"` + right + `," said Carl Ombre.`, []string{right + ",→Nyström"}},
		"the second one's speaker":    {`"Nobody has told us what it costs," Nyström said.`, []string{"Nobody has told us what it costs,→Quaye"}},
		"first name":                  {`"` + right + `," said Ada.`, nil},
		"no speaker":                  {`"` + right + `," the mayor said.`, nil},
		"a role that no source has":   {`"` + right + `," the tailor said.`, nil},
		"next sentence":               {`Ada Nyström said: "` + right + `." Quaye replied.`, nil},
		"pronoun":                     {`"` + right + `," she said.`, nil},
		"speaker unknown in source":   {`"The work begins in May," said Quaye.`, nil},
		"three words":                 {`He said it was a "very bad idea".`, nil},
		"title":                       {`In the book "The Long Way to the Bridge", he said so.`, nil},
		"nobody says it":              {`The slogan reads "a bridge too far for us all".`, nil},
		"words of the prompt":         {`You said: "please tell me about the great bridge of Vellmar".`, nil},
		"two, one wrong":              {`"` + right + `," said Nyström. "` + wrong + `," said Quaye.`, []string{wrong + ","}},
		"inches":                      {`He said the 5" pipe and the 6" pipe are not of the same size.`, nil},
		"code":                        {"He said to run it:\n```\necho \"no such words are here at all\" said\n```", nil},
		"a record":                    {`{"said": "no such words are here at all"}`, nil},
		"guillemets":                  {"« " + wrong + " », said Nyström.", []string{" " + wrong + " "}},
		"low and high marks":          {"Nyström sagte: „" + wrong + "“.", []string{wrong}},
		"never closed":                {`Nyström said: "We will rebuild the town hall before`, nil},
		"a changed number is no slip": {`Nyström said: "We will rebuild the old bridge before the 3 winter"`, []string{"We will rebuild the old bridge before the 3 winter"}},
	}
	for name, tc := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			in := detectortest.Sourced(tc.answer, minutes, "The bridge was built in 1902.")
			in.Messages = []schemas.Message{{Role: "user", Content: "Please tell me about the great bridge of Vellmar."}}
			if tc.want == nil {
				tc.want = []string{}
			}
			require.Equal(t, tc.want, faultsOf(t, in))
		})
	}
}

func TestQuotationsOfIdeographs(t *testing.T) {
	t.Parallel()
	const source = "市长林女士说：「我们将在冬天之前重建旧桥。」"
	require.Empty(t, faultsOf(t, detectortest.Sourced("她说：「我们将在冬天之前重建旧桥」[1]。", source)))
	require.Len(t, faultsOf(t, detectortest.Sourced("她说：「我们将在夏天之后拆除市政厅」[1]。", source)), 1)
}

func TestQuotationsAreNotCheckedWithoutAllSources(t *testing.T) {
	t.Parallel()
	const answer = `He said: "these words are in no source at all".`
	require.Empty(t, faultsOf(t, detectortest.Sourced(answer)))
	require.Empty(t, faultsOf(t, detectortest.Sourced(answer, minutes+strings.Repeat(" It rains in the town.", 10_000))), "the rest was cut off")
	require.Len(t, faultsOf(t, detectortest.Sourced(answer, minutes)), 1)
}

func FuzzQuotations(f *testing.F) {
	f.Add(`"We will go," said Ada. “a b c d” «e f g h» 「我们将在冬天之前」`, minutes)
	f.Add(strings.Repeat(`"a b c d" said A. `, 200), strings.Repeat("a b c ", 500))
	f.Add("他说：「[我](们)…将在」 \"[a](b) c ... d e f g\" [1]", "a\xffb")
	f.Fuzz(func(t *testing.T, answer, source string) {
		in := detectortest.Sourced(strings.ToValidUTF8(answer, "?"), strings.ToValidUTF8(source, "?"), "Another source.")
		var doc detectors.Document
		doc.Reset(in)
		for _, fault := range Faults(&doc) {
			require.LessOrEqual(t, 0, fault.Start)
			require.LessOrEqual(t, fault.Start, fault.End)
			require.LessOrEqual(t, fault.End, len(in.Answer))
			if fault.Source >= 0 {
				require.LessOrEqual(t, fault.SourceEnd, len(in.Sources[fault.Source].Text))
			}
		}
	})
}

func TestRolesAsSpeakers(t *testing.T) {
	t.Parallel()
	const talk = `The engineer said: "The tunnel will be dry again by the end of May." The mayor replied: "Our town cannot pay for all of it."`
	for answer, want := range map[string][]string{
		`The engineer said: "The tunnel will be dry again by the end of May."`: {},
		`"The tunnel will be dry again by the end of May," the engineer said.`: {},
		`The mayor said: "The tunnel will be dry again by the end of May."`:    {"The tunnel will be dry again by the end of May.→engineer"},
		`"Our town cannot pay for all of it," said the engineer.`:              {"Our town cannot pay for all of it,→mayor"},
		`The expert said: "The tunnel will be dry again by the end of May."`:   {}, // may be the engineer
		`Carl Ombre said: "The tunnel will be dry again by the end of May."`:   {},
	} {
		require.Equal(t, want, faultsOf(t, detectortest.Sourced(answer, talk)), answer)
	}
}
