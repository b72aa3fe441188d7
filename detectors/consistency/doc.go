// Package consistency is the deep detector that compares an answer with sampled answers to the same messages.
package consistency
