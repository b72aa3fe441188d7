// Package loglimit bounds the rate of a consumer loop's log lines.
package loglimit
