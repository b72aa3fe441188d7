package alerting

// UnusualOptions say when a detector fires so often that it is more likely broken than right.
type UnusualOptions struct {
	// A detector that fires on this share of the answers it checks is unusual: it no longer counts towards alerts, and is
	// told of once as one that may be broken. It counts again below four fifths of the share. 1: never.
	Share float64 `yaml:"share" min:"0.01" max:"1"`
	// Over how many answers, the last that a detector has checked, the share is taken. Before so many nothing is unusual.
	Checks int `yaml:"checks" min:"100" max:"1000000"`
}

// DefaultUnusualOptions are the defaults of the configuration.
func DefaultUnusualOptions() UnusualOptions { return UnusualOptions{Share: 0.5, Checks: 1000} }
