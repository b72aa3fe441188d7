// Package tablefile reads tables of named columns (CSV, JSON Lines, a JSON list, an object with the list in its member data) and
// writes them as CSV.
package tablefile
