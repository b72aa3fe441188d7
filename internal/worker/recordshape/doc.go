// Package recordshape recognises files and records that are not the JSON Lines that Confab reads, and says what they look
// like and what to do.
package recordshape
