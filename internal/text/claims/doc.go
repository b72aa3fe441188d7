// Package claims finds the claims among the sentences of a text: statements without lead-ins, courtesies, advice, headings and
// abstentions, in English, German, Spanish, French and Chinese. The phrases of each language are in one table. The functions
// are pure and allocate nothing once the caller's slices have grown.
package claims
