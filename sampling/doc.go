// Package sampling decides which interactions get a deep evaluation, and provides its language model calls. [Sampler]
// picks a fixed share of the high-stakes interactions by a keyed hash of their event id: every replica and every replay
// picks the same ones, and without the salt an id that is not picked cannot be chosen. [Resampler], [Judge],
// [Classifier], [Comparer] and [Embedder] implement the interfaces of the deep detectors; prompts, fences around
// untrusted text and strict parsing of replies are here. Every request passes a [Gate], which enforces budgets.
package sampling
