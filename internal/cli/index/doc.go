// Package index builds indexes of package names.
package index
