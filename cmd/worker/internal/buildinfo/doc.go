// Package buildinfo says which build of the program runs.
package buildinfo
