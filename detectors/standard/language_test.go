package standard_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"confab/calibration"
	"confab/detectors"
	"confab/detectors/standard"
	"confab/internal/golden"
	"confab/schemas"
	schemasjson "confab/schemas/json"
)

// languages returns the languages with samples in testdata/languages. The first five contain the same 24 answers, so that
// English is the control; the others contain six short ones.
func languages() []string {
	return []string{"en", "de", "es", "fr", "zh", "ja", "ko", "th", "ru", "ar", "hi"}
}

// languageSample is one answer with its label.
type languageSample struct {
	schemas.Labelled
	kind string // right, or the kind of fault
}

func languageSamples(t *testing.T, language string) []languageSample {
	t.Helper()
	content, err := os.ReadFile(filepath.Join("testdata", "languages", language+".jsonl"))
	require.NoError(t, err)
	var all []languageSample
	wrong := 0
	for line := range bytes.Lines(content) {
		var s languageSample
		require.NoError(t, schemasjson.DecodeLabelled(line, &s.Labelled))
		var facts struct {
			Meta struct{ Kind string } `json:"meta"`
		}
		require.NoError(t, json.Unmarshal(line, &facts))
		s.kind = facts.Meta.Kind
		require.Equal(t, s.kind != "right", s.Label == 1, "%s", line)
		wrong += s.Label
		all = append(all, s)
	}
	require.Equal(t, len(all), 2*wrong, "half of them are wrong")
	return all
}

// languageResult counts the outcomes of one detector in one language.
type languageResult struct {
	scores             []float64
	rows               []schemas.Labelled
	fired              map[int]int    // by label
	caught, wrong      map[string]int // by kind of fault
	reasons            map[string]int // why not
	all                int
	detector, language string
}

func (r *languageResult) add(s languageSample, reading detectors.Reading) {
	r.all++
	if reading.Outcome == schemas.NotCheckable {
		r.reasons[reading.Reason]++
		return
	}
	if reading.Outcome == schemas.Fired {
		r.fired[s.Label]++
		r.caught[s.kind]++
	}
	r.wrong[s.kind]++
	r.rows, r.scores = append(r.rows, s.Labelled), append(r.scores, reading.Score)
}

func (r *languageResult) line() string {
	bad := 0
	for i := range r.rows {
		bad += r.rows[i].Label
	}
	of := func(part, whole int) string {
		if whole == 0 {
			return "-"
		}
		return fmt.Sprintf("%.2f", float64(part)/float64(whole))
	}
	ranking := "-"
	if bad > 0 && bad < len(r.rows) {
		ranking = fmt.Sprintf("%.2f", auroc(r.scores, r.rows))
	}
	var kinds []string
	for kind, n := range r.wrong {
		if kind != "right" {
			kinds = append(kinds, fmt.Sprintf("%s %d/%d", kind, r.caught[kind], n))
		}
	}
	for reason, n := range r.reasons {
		kinds = append(kinds, fmt.Sprintf("(%s: %d)", reason, n))
	}
	slices.Sort(kinds)
	return fmt.Sprintf("%-9s %-9s %4d %9d %5s %9s %6s %12s  %s\n", r.language, r.detector, r.all, len(r.rows), ranking,
		of(r.fired[1], r.fired[0]+r.fired[1]), of(r.fired[1], bad), of(r.fired[0], len(r.rows)-bad), strings.Join(kinds, ", "))
}

// textSuite returns a suite with the default model and thresholds, which were fitted on English data.
func textSuite(t *testing.T) *detectors.Suite {
	t.Helper()
	shipped, err := calibration.Default()
	require.NoError(t, err)
	learned, err := standard.DefaultModel()
	require.NoError(t, err)
	suite, err := detectors.NewSuite(detectors.Options{
		Detectors: standard.Fast(standard.Dependencies{Model: learned}), Fusion: learned.Fuser(), Thresholds: shipped, Now: func() time.Time { return time.Time{} }, Redact: strings.Clone,
	})
	require.NoError(t, err)
	return suite
}

func evaluateRules(t *testing.T, suite *detectors.Suite, in *schemas.Interaction) map[string]detectors.Reading {
	t.Helper()
	e := suite.Evaluate(t.Context(), in)
	defer e.Release()
	readings := map[string]detectors.Reading{}
	for _, r := range e.Readings() {
		readings[r.Detector] = r
	}
	return readings
}

// TestLanguages checks the table of docs/languages.md.
func TestLanguages(t *testing.T) {
	t.Parallel()
	suite := textSuite(t)
	out := "language  detector  rows checkable AUROC precision recall false alarms  caught\n"
	for _, detector := range []string{"grounding", "citation"} {
		for _, language := range languages() {
			r := languageResult{
				detector: detector, language: language,
				fired: map[int]int{}, caught: map[string]int{}, wrong: map[string]int{}, reasons: map[string]int{},
			}
			for _, s := range languageSamples(t, language) {
				r.add(s, evaluateRules(t, suite, &s.Interaction)[detector])
			}
			out += r.line()
		}
	}
	golden.Equal(t, "testdata/languages.golden", out)

	file := filepath.Join("..", "..", "docs", "languages.md")
	content, err := os.ReadFile(file)
	require.NoError(t, err)
	page := string(content)
	lines := strings.Split(strings.TrimSpace(out), "\n")[1:]
	names := []string{
		"English (control)", "German", "Spanish", "French", "Chinese", "Japanese", "Korean", "Thai", "Russian", "Arabic", "Hindi",
	}
	for i, name := range names {
		row := "| " + name + documentedRow(strings.Fields(lines[i]), strings.Fields(lines[i+len(languages())]))
		if golden.Update() { // the first row of that name; a later table has others
			_, after, _ := strings.Cut(page, "| "+name+" |")
			after, _, _ = strings.Cut(after, "\n")
			page = strings.Replace(page, "| "+name+" |"+after, row, 1)
		}
		require.Contains(t, page, row, "the table of the page")
	}
	if golden.Update() {
		require.NoError(t, os.WriteFile(file, []byte(page), 0o600))
	}
}

// documentedRow returns a language's row of the page, without its name.
func documentedRow(grounding, citation []string) string {
	figure := func(s string) string {
		if s == "0.00" {
			return "0"
		}
		return strings.TrimPrefix(s, "0")
	}
	return fmt.Sprintf(" | %s | %s | %s | %s | %s (%s) | %s | %s |", grounding[2], figure(grounding[4]), figure(grounding[6]),
		figure(grounding[7]), figure(citation[4]), citation[3], figure(citation[6]), figure(citation[7]))
}

// TestScriptsWithoutSamples requires not_checkable for scripts without measured quality, except that citations of missing
// sources are still detected.
func TestScriptsWithoutSamples(t *testing.T) {
	t.Parallel()
	suite := textSuite(t)
	for script, sentence := range map[string]string{
		"greek":    "Το μουσείο άνοιξε για το κοινό το 1978 στο λιμάνι",
		"hebrew":   "המוזיאון נפתח לקהל הרחב בשנת 1978 בנמל הישן",
		"armenian": "Թանգարանը բացվել է 1978 թվականին հին ձկան շուկայում",
		"georgian": "მუზეუმი გაიხსნა 1978 წელს ძველი თევზის ბაზარში",
		"tamil":    "அருங்காட்சியகம் 1978 ஆம் ஆண்டு பழைய மீன் சந்தையில் திறக்கப்பட்டது",
		"bengali":  "জাদুঘরটি ১৯৭৮ সালে পুরনো মাছের বাজারে খোলা হয়েছিল",
		"amharic":  "ሙዚየሙ በ 1978 በድሮው የዓሣ ገበያ ውስጥ ተከፈተ",
		"khmer":    "សារមន្ទីរបានបើកនៅឆ្នាំ 1978 នៅក្នុងផ្សារត្រីចាស់",
		"burmese":  "ပြတိုက်ကို 1978 ခုနှစ်တွင် ငါးဈေးဟောင်း၌ ဖွင့်လှစ်ခဲ့သည်",
		"tibetan":  "འགྲེམས་སྟོན་ཁང་ 1978 ལོར་ཉ་ཁྲོམ་རྙིང་པར་སྒོ་ཕྱེས།",
	} {
		in := schemas.Interaction{Answer: sentence + " [1].", Sources: []schemas.Source{{ID: "a", Text: sentence + "."}}}
		for _, detector := range []string{"grounding", "citation"} {
			r := evaluateRules(t, suite, &in)[detector]
			require.Equal(t, schemas.NotCheckable, r.Outcome, "%s in %s", detector, script)
			require.Equal(t, "language", r.Reason, "%s in %s", detector, script)
		}
		in.Answer = sentence + " [7]."
		require.Equal(t, schemas.Fired, evaluateRules(t, suite, &in)["citation"].Outcome, script)
	}
}

func TestForeignDoesNotAllocate(t *testing.T) {
	for _, entry := range standard.Fast(standard.Dependencies{})[:2] {
		detector, err := entry.New(nil)
		require.NoError(t, err)
		for _, language := range []string{"de", "zh", "ru"} {
			in := languageSamples(t, language)[0].Interaction
			var doc detectors.Document
			run := func() {
				doc.Reset(&in)
				f, err := detector.Detect(t.Context(), &doc)
				require.NoError(t, err)
				require.Empty(t, f.NotCheckable)
			}
			run()
			require.Zero(t, testing.AllocsPerRun(20, run), "%s in %s", entry.Name, language)
		}
	}
}
