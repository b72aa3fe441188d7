// Package dialcheck finds out why no broker answers: it connects to the port as a client would, without any credentials,
// and looks at what the port speaks.
package dialcheck
