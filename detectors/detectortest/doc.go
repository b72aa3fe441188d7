// Package detectortest holds what tests of detectors share: typical interactions, fakes and checks of findings.
package detectortest
