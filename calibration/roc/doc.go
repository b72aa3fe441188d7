// Package roc has intervals of shares: Wilson's, and those of Jeffreys' prior. Its functions are pure.
package roc
