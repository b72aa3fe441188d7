// Package measure turns labelled interactions into rows of numbers. [Rows] evaluates [Labels] with a suite. A [Row]
// keeps every score, so that any calibration can be applied to it later, and no text of interactions.
package measure
