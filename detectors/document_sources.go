package detectors

import (
	"confab/internal/text"
	"confab/internal/text/figures"
	"confab/internal/text/prepared"
)

// makeSources reads the sentences and tokens of the sources, or takes them from the cache. Both cost the same work, so that
// a verdict does not depend on what was read before.
func (d *Document) makeSources() {
	if !d.beginPart(madeSources) {
		return
	}
	d.sourceSentences, d.sourceTokens, d.sourceStarts = d.sourceSentences[:0], d.sourceTokens[:0], d.sourceStarts[:0]
	d.known, d.sourceSigns = d.known[:0], text.Signs{}
	for i, s := range d.sources {
		if !d.Work().Spend(len(s)/sentenceBytes + len(s)/tokenBytes) {
			return // the evaluation has ended
		}
		d.sourceStarts = append(d.sourceStarts, int32(len(d.sourceTokens)))
		known, key, keep := d.cache.Find(s)
		d.known = append(d.known, known)
		if known != nil {
			d.copySource(int32(i), known)
			continue
		}
		sentence, token := len(d.sourceSentences), len(d.sourceTokens)
		d.readSource(int32(i), s)
		d.sourceSigns = d.sourceSigns.Plus(text.SignsOf(d.sourceTokens[token:]))
		if keep {
			d.keepSource(key, s, d.sourceSentences[sentence:], d.sourceTokens[token:])
		}
	}
	d.sourceStarts = append(d.sourceStarts, int32(len(d.sourceTokens)))
}

func (d *Document) readSource(source int32, s string) {
	d.sentenceSpans = text.AppendSentences(d.sentenceSpans[:0], s)
	next := int32(len(d.sourceTokens))
	tokens := d.Tokenizer().Append(d.sourceTokens, s)
	d.sourceTokens = tokens
	for _, span := range d.sentenceSpans {
		from := next
		for int(next) < len(tokens) && tokens[next].Start < span.End {
			next++
		}
		d.sourceSentences = append(d.sourceSentences, SourceSentence{
			Source: source, Start: span.Start, End: span.End, First: from, Last: next,
		})
	}
}

// TokensRead are the tokens of the i-th source, nil if it has not been read so far.
func (d *Document) TokensRead(i int) []text.Token {
	if d.made&madeSources == 0 || i+1 >= len(d.sourceStarts) {
		return nil
	}
	return d.sourceTokens[d.sourceStarts[i]:d.sourceStarts[i+1]]
}

func (d *Document) copySource(source int32, known *prepared.Text) {
	first := int32(len(d.sourceTokens))
	d.sourceTokens, d.sourceSigns = append(d.sourceTokens, known.Tokens...), d.sourceSigns.Plus(known.Signs)
	for _, s := range known.Sentences {
		d.sourceSentences = append(d.sourceSentences, SourceSentence{
			Source: source, Start: s.Start, End: s.End, First: first + s.First, Last: first + s.Last,
		})
	}
}

// keepSource gives a source that was just read to the cache.
func (d *Document) keepSource(key prepared.Key, s string, sentences []SourceSentence, tokens []text.Token) {
	t := prepared.Text{Sentences: make([]prepared.Sentence, len(sentences)), Tokens: tokens, Signs: text.SignsOf(tokens)}
	for i, r := range sentences {
		first := sentences[0].First
		t.Sentences[i] = prepared.Sentence{Start: r.Start, End: r.End, First: r.First - first, Last: r.Last - first}
	}
	if n := len(t.Sentences); n > 0 { // figures are read within sentences
		t.Figures = figures.Append(nil, s, tokens[:t.Sentences[n-1].Last])
	}
	d.cache.Keep(key, t)
}

// KnownFigures are the figures of the i-th source if the cache holds them, with the source's first token as 0.
func (d *Document) KnownFigures(i int) (list []figures.Figure, ok bool) {
	d.makeSources()
	if i >= len(d.known) || d.known[i] == nil {
		return nil, false
	}
	return d.known[i].Figures, true
}

// Derived is what a detector derives from the sources of a document alone, and keeps for later documents with the same ones.
// The zero value keeps nothing.
type Derived[T any] struct {
	Known *T // of an earlier document, nil for none; read-only
	cache *prepared.Cache
	key   prepared.Key
	keep  bool
}

// DerivedFrom looks up what was derived from the document's sources under the name, which belongs to T.
func DerivedFrom[T any](d *Document, name string) (v Derived[T]) {
	known, key, keep := d.cache.FindDerived(name, d.sources)
	v.cache, v.key, v.keep = d.cache, key, keep
	v.Known, _ = known.(*T)
	return v
}

// Wanted reports whether to give the value to Keep: these sources come again.
func (v *Derived[T]) Wanted() bool { return v.keep }

// Keep keeps the value, which refers to as many bytes of memory and must not change any more.
func (v *Derived[T]) Keep(value *T, bytes int) { v.cache.KeepDerived(v.key, value, int64(bytes)) }
