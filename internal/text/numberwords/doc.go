// Package numberwords has the words that may start or continue a figure: numbers, months, weekdays, and words for how exact a
// figure is, in English, German, Spanish and French. It also reads Chinese numerals.
package numberwords
