//go:build crashtest

package config

import "time"

// watchdog is short in the build with faults that an answer can trigger.
const watchdog = 10 * time.Second
