package confab_test

import (
	"cmp"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"
	"unicode"

	"github.com/stretchr/testify/require"

	"confab"
	"confab/calibration"
	"confab/calibration/measure"
	"confab/calibration/quality"
	"confab/detectors/standard"
	"confab/internal/datatest"
	"confab/schemas"
)

const qualityPage = "docs/quality.md"

// qualityOf measures labelled rows with the shipped model and calibration.
func qualityOf(t *testing.T, by quality.By, resamples int, without []string, rows ...string) *quality.Report {
	t.Helper()
	e, err := confab.New(confab.Options{Deps: standard.Dependencies{Without: without}}, confab.Tuning{})
	require.NoError(t, err)
	cal, err := calibration.Default()
	require.NoError(t, err)
	labels, err := measure.OpenLabels(rows...)
	require.NoError(t, err)
	defer labels.Close()
	measured, _, err := measure.Rows(t.Context(), e.Suite, labels, measure.Options{Workers: 2})
	require.NoError(t, err)
	r, err := quality.Evaluate(measured, quality.Options{Calibration: cal, By: by, Resamples: resamples, Seed: 1, Workers: 2})
	require.NoError(t, err)
	return r
}

// qualityTable writes a table of Markdown, a line for each call of row.
type qualityTable struct {
	strings.Builder
	columns int
}

func (p *qualityTable) head(columns ...string) {
	p.columns = len(columns)
	p.WriteString("| " + strings.Join(columns, " | ") + " |\n|:---" + strings.Repeat("| ---:", len(columns)-1) + "|\n")
}

func (p *qualityTable) row(cells ...string) {
	p.WriteString("| " + strings.Join(cells, " | ") + " |\n")
}

// lineIn is the line of a scorer; an empty one where there is none.
func lineIn(r *quality.Report, set, slice, scorer string) *quality.Line {
	i := slices.IndexFunc(r.Lines, func(l quality.Line) bool { return l.Dataset == set && l.Slice == slice && l.Detector == scorer })
	if i < 0 {
		return &quality.Line{}
	}
	return &r.Lines[i]
}

// figures are the figures of a line; ranged ones with their interval.
func figures(l *quality.Line, ranged bool, metrics ...quality.Metric) (cells []string) {
	for _, m := range metrics {
		f := l.Figures[m]
		text := ""
		if l.N > 0 {
			text = quality.Share(f.Value)
		}
		if ranged && text != "" && f.Range() != "" {
			text += " " + f.Range()
		}
		cells = append(cells, text)
	}
	return cells
}

// titled names what the rows of a set are.
func titled(set string) string {
	names := map[string]string{
		"modern": "RAG answers of 2026, each fine and with one fault", "frank": "FRANK, news summaries", "summeval": "SummEval, news summaries", "q2": "Q2, dialogue",
		"fever_symmetric": "FEVER-symmetric, claims", "scitab": "SciTab, claims on tables", "quintd_hockey": "Quintd, hockey records",
		"quintd_weather": "Quintd, weather records", "unseen": "short everyday answers, by an outside author",
	}
	if name := names[set]; name != "" {
		return name
	}
	return set
}

func setsIn(r *quality.Report) (sets []string) {
	for i := range r.Lines {
		if !slices.Contains(sets, r.Lines[i].Dataset) {
			sets = append(sets, r.Lines[i].Dataset)
		}
	}
	nearest := []string{"unseen", "modern"} // to what is checked: they come first
	slices.SortFunc(sets, func(a, b string) int {
		return cmp.Or(cmp.Compare(slices.Index(nearest, b), slices.Index(nearest, a)), strings.Compare(a, b))
	})
	return sets
}

// rankingTable sets the risk beside the floors.
func rankingTable(r *quality.Report) string {
	var p qualityTable
	p.head("never seen", "rows, wrong", "risk", "words in no source", "trigrams in no source", "length", "twins: risk", "words", "evidence at the fault")
	for _, set := range setsIn(r) {
		risk, words := lineIn(r, set, quality.All, quality.Risk), lineIn(r, set, quality.All, quality.NewWords)
		always := lineIn(r, set, quality.All, quality.AlwaysFlag)
		p.row(slices.Concat([]string{titled(set), fmt.Sprintf("%d, %d", always.Rows, always.Positives)}, figures(risk, true, quality.AUROC),
			figures(words, true, quality.AUROC), figures(lineIn(r, set, quality.All, quality.NewRuns), true, quality.AUROC),
			figures(lineIn(r, set, quality.All, quality.Length), false, quality.AUROC), figures(risk, true, quality.Twins), figures(words, false, quality.Twins), figures(risk, false, quality.Places))...)
	}
	return p.String()
}

// kindTable says what of each kind of fault is found.
func kindTable(r *quality.Report, set string) string {
	var p qualityTable
	rules := []string{quality.AnyFires, quality.TwoOrMore, quality.Alert, "citation", "grounding", "facts"}
	p.head("kind", "wrong", "AUROC", "twins", "any fires", "two or more", "alert", "`citation`", "`grounding`", "`facts`")
	for i := range r.Lines {
		risk := &r.Lines[i]
		kind, is := strings.CutPrefix(risk.Slice, quality.KindPrefix)
		if !is || risk.Dataset != set || risk.Detector != quality.Risk {
			continue
		}
		cells := slices.Concat([]string{kind, fmt.Sprint(risk.Positives)}, figures(risk, true, quality.AUROC, quality.Twins))
		for _, rule := range rules {
			cells = append(cells, figures(lineIn(r, set, risk.Slice, rule), false, quality.Recall)...)
		}
		p.row(cells...)
	}
	good := []string{"fine answers", fmt.Sprint(lineIn(r, set, quality.All, quality.AlwaysFlag).Rows - lineIn(r, set, quality.All, quality.AlwaysFlag).Positives), "", ""}
	for _, rule := range rules {
		good = append(good, figures(lineIn(r, set, quality.All, rule), false, quality.FalseAlarms)...)
	}
	p.row(good...)
	return p.String()
}

// firingTable says what fires on fine answers, what alerts are worth, and what asking finds.
func firingTable(r *quality.Report) string {
	var p qualityTable
	p.head("never seen", "fine: any fires", "two or more", "alert", "wrong: any fires", "alert",
		"alert right at 2 %", "8 %", "20 %", "found in the top 5 %", "10 %", "20 %", "50 %")
	for _, set := range setsIn(r) {
		of := func(name string) *quality.Line { return lineIn(r, set, quality.All, name) }
		p.row(slices.Concat([]string{titled(set)}, figures(of(quality.AnyFires), true, quality.FalseAlarms), figures(of(quality.TwoOrMore), true, quality.FalseAlarms),
			figures(of(quality.Alert), true, quality.FalseAlarms), figures(of(quality.AnyFires), false, quality.Recall), figures(of(quality.Alert), false, quality.Recall),
			figures(of(quality.Alert), false, quality.PrecisionAtTwo, quality.PrecisionAtEight, quality.PrecisionAtTwenty),
			figures(of(quality.Risk), false, quality.FoundFive, quality.FoundTen, quality.FoundTwenty, quality.FoundFifty))...)
	}
	return p.String()
}

// judgeTable says what a judge adds by its balanced accuracy, where sensitivity and specificity are equal and its errors are
// independent of the detectors: the share of wrong answers that its calls find, and pages at 8 % wrong answers.
func judgeTable(r *quality.Report, set string) string {
	var p qualityTable
	p.head("judge", "calls on 5 % of the traffic", "10 %", "20 %", "50 %", "pages, two fire: wrong answers", "right at 8 %", "pages, one fires and the judge: wrong answers", "right at 8 %")
	of := func(name string, m quality.Metric) float64 { return lineIn(r, set, quality.All, name).Figures[m].Value }
	found := []quality.Metric{quality.FoundFive, quality.FoundTen, quality.FoundTwenty, quality.FoundFifty}
	pages := func(recall, alarms float64) []string {
		right := ""
		if wrong := .08 * recall; wrong > 0 {
			right = quality.Share(wrong / (wrong + .92*alarms))
		}
		return []string{quality.Share(recall), right}
	}
	line := func(name string, share func(k int) float64, two, one []string) {
		cells := []string{name}
		for k := range found {
			cells = append(cells, quality.Share(share(k)))
		}
		p.row(slices.Concat(cells, two, one)...)
	}
	byRisk := func(k int) float64 { return of(quality.Risk, found[k]) }
	line("none", func(int) float64 { return 0 }, pages(of(quality.Alert, quality.Recall), of(quality.Alert, quality.FalseAlarms)), []string{"", ""})
	for _, a := range []float64{.8, .9, .95, 1} {
		line(fmt.Sprintf("%.0f %%", 100*a), func(k int) float64 { return a * byRisk(k) },
			pages(a*of(quality.Alert, quality.Recall), (1-a)*of(quality.Alert, quality.FalseAlarms)),
			pages(a*of(quality.AnyFires, quality.Recall), (1-a)*of(quality.AnyFires, quality.FalseAlarms)))
	}
	line("100 %, asked by chance", func(k int) float64 { return []float64{.05, .1, .2, .5}[k] }, []string{"", ""}, []string{"", ""})
	return p.String()
}

// nearTable has the sets that rules, model or thresholds were made on.
func nearTable(t *testing.T, r *quality.Report) string {
	var lab struct {
		Sets map[string]struct {
			AUROC float64 `json:"auroc"`
		} `json:"sets"`
	}
	content, err := os.ReadFile("calibration/lab/figures.json")
	require.NoError(t, err)
	require.NoError(t, json.Unmarshal(content, &lab))
	var p qualityTable
	p.head("near training", "rows, wrong", "risk, cross-validated", "in sample", "within one model", "words in no source", "trigrams", "fine: any fires", "two or more")
	line := func(set, slice, name string) {
		of := func(scorer string) *quality.Line { return lineIn(r, set, slice, scorer) }
		risk, always := of(quality.Risk), of(quality.AlwaysFlag)
		if risk.N == 0 {
			return
		}
		held := ""
		if f, ok := lab.Sets[name]; ok {
			held = quality.Share(f.AUROC)
		}
		p.row(slices.Concat([]string{name, fmt.Sprintf("%d, %d", always.Rows, always.Positives), held}, figures(risk, true, quality.AUROC),
			figures(risk, false, quality.WithinModel), figures(of(quality.NewWords), false, quality.AUROC), figures(of(quality.NewRuns), false, quality.AUROC),
			figures(of(quality.AnyFires), false, quality.FalseAlarms), figures(of(quality.TwoOrMore), false, quality.FalseAlarms))...)
	}
	for _, set := range setsIn(r) {
		line(set, quality.All, set)
		if set == "ragtruth" {
			for _, task := range []string{"data2txt", "qa", "summary"} {
				line(set, task, set+"/"+task)
			}
		}
	}
	return p.String()
}

// detectorTable has the detectors whose rows are few sets.
func detectorTable(r *quality.Report) string {
	var p qualityTable
	p.head("detector", "data set", "rows, wrong", "AUROC", "precision", "recall", "alarms")
	for _, name := range []string{"citation", "confidence", "consistency", "schema"} {
		for _, set := range setsIn(r) {
			if l := lineIn(r, set, quality.All, name); l.N >= 50 && l.Positives > 0 && l.Positives < l.N {
				p.row(slices.Concat([]string{"`" + name + "`", set, fmt.Sprintf("%d, %d", l.N, l.Positives)}, figures(l, true, quality.AUROC, quality.Precision, quality.Recall, quality.FalseAlarms))...)
			}
		}
	}
	return p.String()
}

func filesOf(t *testing.T, patterns ...string) (all []string) {
	for _, pattern := range patterns {
		all = append(all, datatest.Files(t, pattern)...)
	}
	return all
}

// trainingRows are the rows that rules, model and thresholds may be made on.
func trainingRows(t *testing.T) []string {
	var all []string
	for _, set := range []string{"attributionbench", "begin", "factcheckbench", "jsonschema_suite", "logprobs", "ragtruth", "summedits"} {
		all = append(all, filesOf(t, set+"/*.jsonl.gz")...)
	}
	return append(all, filesOf(t, "modern/train/*.jsonl.gz", "public/train/*.jsonl.gz")...)
}

func unseenRows(t *testing.T) []string {
	const author = "detectors/standard/testdata/unseen/author.sealed.jsonl" // look at its figures only
	return append(filesOf(t, "modern/dev/*.jsonl.gz", "public/dev/*.jsonl.gz"), author)
}

// TestQualityPage writes docs/quality.md, and README's table of it, anew.
func TestQualityPage(t *testing.T) {
	if os.Getenv("UPDATE") != "1" {
		t.Skip("make quality runs it")
	}
	unseen := qualityOf(t, quality.ByDataset, 1000, nil, unseenRows(t)...)
	near := qualityOf(t, quality.ByTask, 1000, nil, trainingRows(t)...)
	model, err := standard.DefaultModel()
	require.NoError(t, err)
	text, err := os.ReadFile(qualityPage)
	require.NoError(t, err)
	page := string(text)
	for mark, table := range map[string]string{
		"measured": fmt.Sprintf("Measured on %s with model `%s` and calibration `%s`.\n", time.Now().UTC().Format(time.DateOnly), model.ID, unseen.Calibration),
		"ranking":  rankingTable(unseen), "kinds": kindTable(unseen, "modern"), "firing": firingTable(unseen), "judge": judgeTable(unseen, "modern"),
		"near": nearTable(t, near), "detectors": detectorTable(near),
	} {
		page = replaceMarked(t, page, mark, table)
	}
	require.NoError(t, os.WriteFile(qualityPage, []byte(page), 0o600))

	text, err = os.ReadFile("README.md")
	require.NoError(t, err)
	var p qualityTable
	p.head("answers", "AUROC of the risk (95 %)", "AUROC of unknown words", "alerts of 1,000 answers", "right alerts", "fine answers flagged", "wrong answers a judge finds")
	for _, set := range setsIn(unseen) {
		of := func(name string) *quality.Line { return lineIn(unseen, set, quality.All, name) }
		alert := of(quality.Alert)
		p.row(slices.Concat([]string{titled(set)}, figures(of(quality.Risk), true, quality.AUROC), figures(of(quality.NewWords), false, quality.AUROC),
			[]string{fmt.Sprintf("%.1f", alert.Figures[quality.AlertsAtEight].Value)}, figures(alert, false, quality.PrecisionAtEight),
			figures(of(quality.AnyFires), false, quality.FalseAlarms), []string{quality.Share(.9 * of(quality.Risk).Figures[quality.FoundTen].Value)})...)
	}
	require.NoError(t, os.WriteFile("README.md", []byte(replaceMarked(t, string(text), "quality", p.String())), 0o600))
}

// replaceMarked replaces what stands between the mark and the next empty line.
func replaceMarked(t *testing.T, page, mark, text string) string {
	before, rest, found := strings.Cut(page, "<!-- "+mark+" -->\n")
	require.True(t, found, mark)
	_, after, _ := strings.Cut("\n"+rest, "\n\n")
	return before + "<!-- " + mark + " -->\n" + text + "\n" + after
}

// TestUnseenRows holds that no answer and no source of the sets that nothing is learned from is among the rows that may be learned
// from, whatever its spaces, marks and capitals.
func TestUnseenRows(t *testing.T) {
	t.Parallel()
	if testing.Short() {
		t.Skip("reads all labelled rows")
	}
	unseen := map[string]string{} // text: its set
	eachText(t, unseenRows(t), func(set, text string) { unseen[text] = set })
	shared := map[string]int{}
	eachText(t, filesOf(t, "*/*.jsonl.gz", "*/train/*.jsonl.gz"), func(set, text string) {
		if of := unseen[text]; of != "" {
			shared[set+" has texts of "+of]++
		}
	})
	// One source about vegetarianism: fitting leaves these rows out by their text.
	require.Equal(t, map[string]int{"begin has texts of q2": 8}, shared)
}

func eachText(t *testing.T, files []string, each func(set, text string)) {
	labels, err := measure.OpenLabels(files...)
	require.NoError(t, err)
	defer labels.Close()
	var row schemas.Labelled
	for {
		err := labels.Next(&row)
		if errors.Is(err, io.EOF) {
			return
		}
		require.NoError(t, err)
		for _, text := range append([]schemas.Source{{Text: row.Interaction.Answer}}, row.Interaction.Sources...) {
			plain := strings.Map(func(r rune) rune {
				if !unicode.IsLetter(r) && !unicode.IsDigit(r) {
					return -1
				}
				return unicode.ToLower(r)
			}, text.Text)
			if plain != "" {
				each(row.Dataset, plain)
			}
		}
	}
}

// TestReadmeQuotesTheMeasurement holds every line of README's quality table against docs/quality.md.
func TestReadmeQuotesTheMeasurement(t *testing.T) {
	t.Parallel()
	readme, err := os.ReadFile("README.md")
	require.NoError(t, err)
	page, err := os.ReadFile(qualityPage)
	require.NoError(t, err)
	_, table, _ := strings.Cut(string(readme), "<!-- quality -->\n")
	table, _, _ = strings.Cut(table, "\n\n")
	lines := strings.Split(table, "\n")[2:]
	require.Greater(t, len(lines), 4)
	figure := regexp.MustCompile(`\d?\.\d{3}( \.\d\d–\d?\.\d\d)?`)
	for _, l := range lines {
		name := l[:strings.Index(l[1:], "|")+2]
		measured := lineWith(string(page), name)
		require.NotEmpty(t, measured, "%s has no line %s", qualityPage, name)
		quoted := figure.FindAllString(l, -1)
		require.GreaterOrEqual(t, len(quoted), 4, l)
		for _, x := range quoted[:2] {
			require.Contains(t, measured, "| "+x, "README says otherwise in the line %s: make quality", name)
		}
	}
}

// lineWith is the first line of the text that begins so.
func lineWith(text, begin string) string {
	for line := range strings.Lines(text) {
		if strings.HasPrefix(line, begin) {
			return line
		}
	}
	return ""
}

var measureParts = flag.Bool("ablation", false, "measure what each part of the judgement adds: make ablation")

// TestAblation prints what changes on training rows without each part of the judgement.
func TestAblation(t *testing.T) {
	if !*measureParts {
		t.Skip("make ablation runs it")
	}
	files := trainingRows(t)
	rows := slices.DeleteFunc(files, func(f string) bool { return strings.Contains(f, "vitaminc") || strings.Contains(f, "infotabs") }) // 52,000 rows
	var columns []string
	of := func(without ...string) map[string]float64 {
		r := qualityOf(t, quality.ByDataset, 0, without, rows...)
		values, sum := map[string]float64{}, 0.0
		for _, set := range setsIn(r) {
			values[set] = 0.5 // without a risk all rank alike
			if risk := lineIn(r, set, quality.All, quality.Risk); risk.N > 0 {
				values[set] = risk.Figures[quality.AUROC].Value
			}
			sum += values[set]
		}
		of := func(name string, m quality.Metric) float64 {
			return lineIn(r, "modern", quality.All, name).Figures[m].Value
		}
		values["mean"] = sum / float64(len(values))
		values["twins"], values["fine: any fires"], values["two or more"] = of(quality.Risk, quality.Twins), of(quality.AnyFires, quality.FalseAlarms), of(quality.TwoOrMore, quality.FalseAlarms)
		if columns == nil {
			columns = append(setsIn(r), "mean", "twins", "fine: any fires", "two or more")
		}
		return values
	}
	whole := of()
	var p qualityTable
	p.head(slices.Concat([]string{"without"}, columns)...)
	row := func(name string, value func(column string) string) {
		cells := []string{name}
		for _, c := range columns {
			cells = append(cells, value(c))
		}
		p.row(cells...)
	}
	row("nothing", func(c string) string { return fmt.Sprintf("%.3f", whole[c]) })
	for _, part := range standard.Parts() {
		less := of(part)
		row(part, func(c string) string { return fmt.Sprintf("%+.3f", less[c]-whole[c]) })
	}
	t.Log("\n" + p.String())
}
