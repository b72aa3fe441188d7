// Package labelled holds the checks that commands on labelled rows share.
package labelled
