// Package login makes the SASL logins at brokers. Credentials are read at every login, so that changed ones need no restart.
package login
