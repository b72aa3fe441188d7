// Package samples holds flags and alerts for tests, texts that try to break out of a message, and canaries for
// redaction. It imports schemas only, so that tests of every package may use it. Only tests import it.
package samples
