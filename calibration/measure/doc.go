// Package measure turns labelled interactions into rows of numbers. [Labels] are where they come from, [Rows] lets a
// suite evaluate them, and a [Row] keeps what every detector scored, so that any calibration can be applied to it
// later. It keeps no text of interactions.
package measure
