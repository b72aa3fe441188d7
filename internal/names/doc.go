// Package names holds names of software packages: the spelling rules of each ecosystem, lists of standard libraries and of
// the most used packages, and file-based membership filters of all existing names. It does not use the network.
package names
