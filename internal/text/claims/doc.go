// Package claims finds the claims among the sentences of a text: statements without lead-ins, courtesies, headings and
// abstentions. Lead-ins and abstentions are English. The functions are pure and allocate nothing once the caller's slices
// have grown.
package claims
