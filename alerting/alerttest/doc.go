// Package alerttest holds fakes for tests of sinks and the dispatcher: log, sink and HTTP server. Its tests are the
// conformance table of all sinks. Only tests import it.
package alerttest
