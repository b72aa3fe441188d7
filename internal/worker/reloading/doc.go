// Package reloading applies changes of the configuration, the calibration and the model while a worker runs.
package reloading
