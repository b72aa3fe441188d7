// Package card is the content of an alert, independent of the sink: what a person reads, and the buttons. Its strings are
// cleaned and bounded, not escaped.
package card
