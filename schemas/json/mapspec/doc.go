// Package mapspec parses the entries of an input's map: JSON Pointers with words. It knows the language of maps and not how
// records are read.
package mapspec
