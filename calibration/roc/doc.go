// Package roc has intervals of shares.
package roc
