// Package names knows the names of software packages: how each ecosystem writes them, small lists of standard libraries
// and of the most used packages, and membership filters of all the names that exist, as files. It refuses the network,
// and to judge what a missing name means.
package names
