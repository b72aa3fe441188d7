// Package listen has the settings of HTTP listeners that other programs and people reach: address, TLS, limits and
// authentication.
package listen
