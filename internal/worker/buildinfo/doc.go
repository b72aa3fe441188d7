// Package buildinfo reports which build of the program runs.
package buildinfo
