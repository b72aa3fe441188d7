// Package consistency compares an answer with sampled responses to the same messages.
package consistency
