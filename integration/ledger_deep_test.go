package integration

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// deepResults are the results of the deep pass.
type deepResults struct {
	flags     int // including repeats
	judged    int // incidents with a verdict on sampled responses
	notJudged map[string]int
}

// auditDeepFlags reads the deep flags. A flag with neither a verdict nor a reason is an error.
func auditDeepFlags(incidents []Record) (*deepResults, error) {
	l := &deepResults{notJudged: map[string]int{}}
	verdicts, reasons := map[string]bool{}, map[string]string{}
	for _, r := range incidents {
		var f deepFlag
		if err := json.Unmarshal(r.Value, &f); err != nil {
			return nil, fmt.Errorf("incident at %v: %w", r.RecordPosition, err)
		}
		if f.Pass != deep {
			continue
		}
		l.flags++
		reason, err := f.reason()
		if err != nil {
			return nil, err
		}
		if reason == "" {
			verdicts[f.Incident] = true
			continue
		}
		reasons[f.Incident] = reason
	}
	for incident, reason := range reasons {
		if !verdicts[incident] {
			l.notJudged[reason]++
		}
	}
	l.judged = len(verdicts)
	return l, nil
}

type deepFlag struct {
	Incident string `json:"incident_id"`
	Pass     string `json:"pass"`
	Sampled  bool   `json:"sampled"`
	Signals  []struct {
		Detector string `json:"detector"`
		Outcome  string `json:"outcome"`
		Reason   string `json:"reason"`
	} `json:"signals"`
}

// reason says why there is no verdict on sampled responses; "" when there is one.
func (f *deepFlag) reason() (string, error) {
	for _, s := range f.Signals {
		if s.Detector != "consistency" || !f.Sampled {
			continue
		}
		switch {
		case s.Outcome == "fired" || s.Outcome == "clear":
			return "", nil
		case (s.Outcome == "skipped" || s.Outcome == "error") && s.Reason != "":
			return s.Reason, nil
		}
	}
	return "", fmt.Errorf("deep flag of incident %s says neither a verdict nor why there is none", f.Incident)
}

func TestAuditLooks(t *testing.T) {
	const judged, poor, down = `{"detector":"consistency","outcome":"clear"}`, `{"detector":"consistency","outcome":"skipped","reason":"budget"}`,
		`{"detector":"consistency","outcome":"error","reason":"chat: timeout"}`
	flag := func(incident, signals string) Record {
		return Record{Value: fmt.Appendf(nil, `{"incident_id":%q,"pass":"deep","sampled":true,"signals":[%s]}`, incident, signals)}
	}
	l, err := auditDeepFlags([]Record{
		{Value: []byte(`{"incident_id":"a","pass":"fast"}`)},
		flag("a", judged), flag("a", poor), flag("b", poor), flag("b", poor), flag("c", down),
		flag("d", strings.Replace(judged, "clear", "fired", 1)),
	})
	require.NoError(t, err)
	require.Equal(t, &deepResults{flags: 6, judged: 2, notJudged: map[string]int{"budget": 1, "chat: timeout": 1}}, l)
	for name, signals := range map[string]string{
		"no signal": "", "another detector": strings.Replace(judged, "consistency", "grounding", 1),
		"no reason": strings.Replace(poor, "budget", "", 1), "not checkable": strings.Replace(poor, "skipped", "not_checkable", 1),
	} {
		t.Run(name, func(t *testing.T) {
			_, err := auditDeepFlags([]Record{flag("a", signals)})
			require.ErrorContains(t, err, "neither")
		})
	}
}
