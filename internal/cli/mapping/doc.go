// Package mapping proposes a map for records of an unknown shape.
package mapping
