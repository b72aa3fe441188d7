// Package logging makes the worker's logger, which suppresses repeated warnings and errors.
package logging
