// Package model reads and applies learned models over vectors of features.
package model
