package detectors

import (
	"confab/internal/text"
	"confab/internal/text/units"
)

// makeSources reads the sentences and tokens of the sources.
func (d *Document) makeSources() {
	if !d.beginPart(madeSources) {
		return
	}
	d.sourceSentences, d.sourceTokens, d.sourceStarts = d.sourceSentences[:0], d.sourceTokens[:0], d.sourceStarts[:0]
	for i, s := range d.sources {
		if !d.Work().Spend(len(s)/sentenceBytes + len(s)/tokenBytes) {
			return // the evaluation has ended
		}
		d.sourceStarts = append(d.sourceStarts, int32(len(d.sourceTokens)))
		d.sources[i] = units.TabCells(s)
		d.readSource(int32(i), d.sources[i])
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
