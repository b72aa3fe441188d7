// Package finding is the vocabulary of `confab doctor`: what one check found, and what a person can do about it. It
// refuses to check anything: the rooms that know how to look make findings.
package finding

// State is what a check came to.
type State string

// The states, from good to bad. NotChecked says that nothing is known.
const (
	OK         State = "ok"
	NotChecked State = "not checked"
	Warning    State = "warning"
	Problem    State = "problem"
)

// Finding is what one check found. It holds no secret and no text of an interaction.
type Finding struct {
	Check   string `json:"check"`             // of a closed set, such as topic
	Subject string `json:"subject,omitempty"` // what was looked at, such as a topic's name
	State   State  `json:"state"`
	Detail  string `json:"detail"`
	Remedy  string `json:"remedy,omitempty"` // what a person can do; there with every warning and problem
}

// Report gathers the findings of one check about one subject.
type Report struct {
	Check, Subject string
	Findings       []Finding
}

// OK adds that something is as it should be.
func (r *Report) OK(detail string) { r.add(OK, detail, "") }

// Skip adds that something could not be checked. remedy may be empty.
func (r *Report) Skip(detail, remedy string) { r.add(NotChecked, detail, remedy) }

// Warn adds what works and should be better.
func (r *Report) Warn(detail, remedy string) { r.add(Warning, detail, remedy) }

// Fail adds what will not work.
func (r *Report) Fail(detail, remedy string) { r.add(Problem, detail, remedy) }

func (r *Report) add(s State, detail, remedy string) {
	r.Findings = append(r.Findings, Finding{Check: r.Check, Subject: r.Subject, State: s, Detail: detail, Remedy: remedy})
}

// Count is how many of the findings are in the state.
func Count(all []Finding, s State) (n int) {
	for i := range all {
		if all[i].State == s {
			n++
		}
	}
	return n
}
