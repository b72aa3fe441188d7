package labels

import (
	"time"

	"github.com/prometheus/client_golang/prometheus"
)

// Histogram are the options of a histogram with the given buckets, which is a native histogram for servers that scrape these.
func Histogram(name, help string, buckets []float64) prometheus.HistogramOpts {
	return prometheus.HistogramOpts{
		Name: name, Help: help, Buckets: buckets,
		NativeHistogramBucketFactor: 1.1, NativeHistogramMaxBucketNumber: 100, NativeHistogramMinResetDuration: time.Hour,
	}
}
