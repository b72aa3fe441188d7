//go:build !crashtest

package config

import "time"

const watchdog = 2 * time.Minute
