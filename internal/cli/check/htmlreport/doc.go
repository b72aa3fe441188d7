// Package htmlreport writes evaluated answers as one HTML page for a browser: no network, no script of an answer, bounded in
// size.
package htmlreport
