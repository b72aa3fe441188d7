// Package deep holds what the detectors that ask language models share: the models' interfaces,
// sampled responses, reference texts, refusals and reliability.
package deep
