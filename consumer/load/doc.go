// Package load measures how far a consumer group is behind, and decides which detectors it skips until it has caught up.
package load
