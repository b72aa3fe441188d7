// Package tune fits risk and thresholds to a user's own traffic: posteriors around those in force, so that few labels move
// them a little and many decide. It also forecasts what the configured alert rule does on that traffic, before and after.
package tune
