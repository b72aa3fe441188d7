// Package delivery is the contract between the role export and its destinations.
package delivery
