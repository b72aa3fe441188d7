// Package model trains, encodes and applies learned models over vectors of features.
package model
