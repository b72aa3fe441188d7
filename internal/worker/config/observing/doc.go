// Package observing holds the settings of observations: claims that were found false.
package observing
