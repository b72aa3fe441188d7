// Package alerttest helps to test sinks and the dispatcher: a fake log and sink, a scripted HTTP server, and what every
// sink must do with a failure. Its own tests are the conformance table of all sinks. Only tests import it.
package alerttest
