// Package shares has intervals of shares.
package shares
