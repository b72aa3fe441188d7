package console

// State is the result of a check.
type State string

// The states, from good to bad. NotChecked means that the state is unknown.
const (
	OK         State = "ok"
	NotChecked State = "not checked"
	Warning    State = "warning"
	Problem    State = "problem"
)

// Finding is one result of a check. It contains no secret and no text of an interaction.
type Finding struct {
	Check   string `json:"check"`             // one of a fixed set, such as topic
	Subject string `json:"subject,omitempty"` // what was checked, such as a topic's name
	State   State  `json:"state"`
	Detail  string `json:"detail"`
	Remedy  string `json:"remedy,omitempty"` // what to do; set for every warning and problem
}

// Report collects the findings of one check on one subject.
type Report struct {
	Check, Subject string
	Findings       []Finding
}

// OK adds a finding without a problem.
func (r *Report) OK(detail string) { r.add(OK, detail, "") }

// Skip adds a check that could not be made. remedy may be empty.
func (r *Report) Skip(detail, remedy string) { r.add(NotChecked, detail, remedy) }

// Warn adds something that works but should be improved.
func (r *Report) Warn(detail, remedy string) { r.add(Warning, detail, remedy) }

// Fail adds something that will not work.
func (r *Report) Fail(detail, remedy string) { r.add(Problem, detail, remedy) }

func (r *Report) add(s State, detail, remedy string) {
	r.Findings = append(r.Findings, Finding{Check: r.Check, Subject: r.Subject, State: s, Detail: detail, Remedy: remedy})
}

// CountFindings returns the number of findings in the state.
func CountFindings(all []Finding, s State) (n int) {
	for i := range all {
		if all[i].State == s {
			n++
		}
	}
	return n
}
