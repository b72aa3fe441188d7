// Package worker runs the roles of a process. It checks the cluster, builds each role's consumer loop, and starts and
// stops everything in order.
package worker
