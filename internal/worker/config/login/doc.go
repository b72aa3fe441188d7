// Package login holds the settings of the login at the brokers.
package login
