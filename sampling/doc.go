// Package sampling decides which interactions earn the deep look. [Sampler] picks a fixed share of the high-stakes ones
// by a keyed hash of their event id, so that every replica and every replay picks the same ones, and nobody who does not
// know the salt can choose an id that escapes.
//
// The deep look itself asks language models through [Resampler], [Judge], [Classifier], [Comparer] and [Embedder], which the
// detectors know by interfaces: prompts, the fences around untrusted text and the strict reading of replies live here. Every
// request passes a [Gate] first, and [Gate] is where budgets stand.
//
// It refuses opinions about answers, which are the detectors', HTTP, which is internal/llm's, and Kafka.
package sampling
