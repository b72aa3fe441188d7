package redact

// Span is a part of a text and the label that replaces it, in bytes.
type Span struct {
	Start, End int
	Label      string
}

// Find returns what one pass of [Redact] over s replaces, in order.
func Find(s string) (all []Span) {
	sc := scanner{view: viewOf(s)}
	for at := 0; sc.next(at); at = sc.match.end {
		m := sc.sourceOf(sc.match)
		all = append(all, Span{Start: m.start, End: m.end, Label: m.label})
	}
	return all
}
