// Package claims finds the claims of a text among its sentences: what is left beside lead-ins, courtesies, headings and
// abstentions. Lead-ins and abstentions are English. Its functions are pure and allocate nothing once the slices of the
// caller have grown.
package claims
