// Package grounding measures how each claim of an answer meets its evidence, as a row of columns, and applies a learned model to
// them.
package grounding

// column is one number about a claim.
type column int

// The columns. Shares are from 0 to 1; weights of terms are their rarity among the units of the evidence.
const (
	cov1         column = iota // weight of the claim that the best unit has, as a share
	cov2nd                     // that the second best has
	cov3                       // that the best three have together
	covAll                     // that all evidence has
	clauseMin                  // that the best unit of the worst clause has
	evidenceN                  // units that were needed, 1 to 3
	e1Len                      // terms of the best unit
	evUnused                   // share of the best unit's content words that the claim lacks
	evRun                      // the longest run of them
	nov1                       // share of words that no evidence has
	nov2                       // of pairs of words
	nov3                       // of triples
	cbi                        // of pairs of content words, in either order
	cbiKnown                   // of those whose words are both known
	runShare                   // longest copied run of words
	missWeight                 // weight of words in no evidence
	missLast                   // share of words in no evidence, in the last third
	missRun                    // the longest run of them
	aligned                    // share of content words that stand in the best unit
	inversions                 // share of pairs that stand in another order there
	jumps                      // share of steps of more than eight words there
	backs                      // share of steps back there
	figuresN                   // figures of the claim
	figuresSrc                 // figures of the evidence
	figuresOut                 // figures that no evidence has and that follow from none
	figuresFree                // the same, as the model was fitted with two
	figuresE1                  // share that the best unit has
	evFigures                  // figures of the best unit that the claim lacks
	figureOwn                  // support of the words around the worst figure, where the evidence has it
	figureOther                // support of them where the evidence has another figure of the kind
	figureGap                  // how much better another figure fits
	figureClash                // a unit fits the words better and has another figure
	figureMean                 // mean support of the words around figures
	namesN                     // names
	namesOut                   // names in no evidence
	negOnly                    // words negated in the claim only
	negLost                    // words negated in the evidence only
	negScope                   // share of a negation's scope that the evidence affirms
	negScopeLost               // share of a scope in the evidence that the claim affirms
	negParity                  // one has an odd number of negations
	opposites                  // words whose opposite stands in the best unit
	wholes                     // "all" where the evidence limits
	pairMean                   // anchors that stand in one unit
	pairMin                    // of the most isolated anchor
	citedGap                   // how much more an uncited source has than the cited ones
	cited                      // weight that the cited sources have, 1 without citations
	citedFigures               // figures that only uncited sources have
	termsN                     // terms of the claim
	contentN                   // content terms of it
	unitsN                     // units of the evidence
	sourcesN                   // sources
	isItem                     // 1 for an item of a list
	isRow                      // 1 for a row of a table
	claimsN                    // claims of the answer
	recordsN                   // rows and records of the evidence, up to 50
	evUnusedRel                // evUnused less its median over the other claims
	clauseMinRel               // clauseMin likewise
	pairRel                    // pairMean likewise
	fieldsFalse                // yes or no in records that the claim turns
	fieldsAgree                // values that the field has which it names
	columnsN
)

// columnTable has for each column its name in model files, the kind of evidence it belongs to, and what it says about a claim.
//
//nolint:gochecknoglobals // a read-only table
var columnTable = [columnsN]struct{ name, expert, says string }{
	cov1:         {"cov1", "words", "little of it stands in one passage"},
	cov2nd:       {"cov2nd", "words", "no second passage has much of it"},
	cov3:         {"cov3", "words", "the best three passages have little of it"},
	covAll:       {"cov_all", "words", "all passages together have little of it"},
	clauseMin:    {"clause_min", "words", "one part of it is in no passage"},
	evidenceN:    {"evidence_n", "words", "it draws on several passages"},
	e1Len:        {"e1_len", "size", "the nearest passage has an unusual length"},
	evUnused:     {"ev_unused", "words", "much of the nearest passage is left out"},
	evRun:        {"ev_run", "words", "a part of the nearest passage is left out"},
	nov1:         {"nov1", "words", "it has words that no source has"},
	nov2:         {"nov2", "words", "it has pairs of words that no source has"},
	nov3:         {"nov3", "words", "it has wording that no source has"},
	cbi:          {"cbi", "words", "it has words that stand together in no source"},
	cbiKnown:     {"cbi_known", "words", "it has known words that stand together in no source"},
	runShare:     {"run_share", "words", "little of it is copied"},
	missWeight:   {"miss_weight", "words", "it has rare words that no source has"},
	missLast:     {"miss_last", "words", "its end has words that no source has"},
	missRun:      {"miss_run", "words", "it has a run of words that no source has"},
	aligned:      {"aligned", "order", "few of its words are in the nearest passage"},
	inversions:   {"inversions", "order", "its words stand in another order"},
	jumps:        {"jumps", "order", "its words stand far apart in the source"},
	backs:        {"backs", "order", "its words stand in another order"},
	figuresN:     {"figures_n", "figure", "it has an unusual number of figures"},
	figuresSrc:   {"figures_src", "size", "the number of figures in the sources"},
	figuresOut:   {"figures_out", "figure", "it has a figure that no source has and that follows from none"},
	figuresFree:  {"figures_free", "figure", "it has a figure that no source has and that follows from none"},
	figuresE1:    {"figures_e1", "figure", "the nearest passage does not have its figures"},
	evFigures:    {"ev_figures", "figure", "the nearest passage has other figures"},
	figureOwn:    {"figure_own", "figure", "a figure stands with other words in the sources"},
	figureOther:  {"figure_other", "figure", "the sources have another figure with these words"},
	figureGap:    {"figure_gap", "figure", "another figure of the sources fits better"},
	figureClash:  {"figure_clash", "figure", "the passage that fits best has another figure"},
	figureMean:   {"figure_mean", "figure", "its figures stand with other words in the sources"},
	namesN:       {"names_n", "name", "it has an unusual number of names"},
	namesOut:     {"names_out", "name", "it has a name that no source has"},
	negOnly:      {"neg_only", "negation", "it denies what a source does not"},
	negLost:      {"neg_lost", "negation", "a source denies this"},
	negScope:     {"neg_scope", "negation", "it denies what a source states"},
	negScopeLost: {"neg_scope_lost", "negation", "it states what a source denies"},
	negParity:    {"neg_parity", "negation", "only one of them has a negation"},
	opposites:    {"opposites", "negation", "the source has the opposite word"},
	wholes:       {"wholes", "negation", "it says all where the source says less"},
	pairMean:     {"pair_mean", "words", "its words stand apart in the sources"},
	pairMin:      {"pair_min", "words", "one of its words stands apart in the sources"},
	citedGap:     {"cited_gap", "citation", "an uncited source has more of it"},
	cited:        {"cited", "citation", "the cited source has little of it"},
	citedFigures: {"cited_figures", "citation", "the cited source does not have its figures"},
	termsN:       {"terms_n", "size", "its length"},
	contentN:     {"content_n", "size", "its length"},
	unitsN:       {"units_n", "size", "the length of the sources"},
	sourcesN:     {"sources_n", "size", "the number of sources"},
	isItem:       {"is_item", "size", "it is an item of a list"},
	isRow:        {"is_row", "size", "it is a row of a table"},
	claimsN:      {"claims_n", "size", "the number of claims"},
	recordsN:     {"records_n", "size", "the records among the sources"},
	evUnusedRel:  {"ev_unused_rel", "words", "more of its passage is left out than of others"},
	clauseMinRel: {"clause_min_rel", "words", "a part of it is worse supported than other claims"},
	pairRel:      {"pair_rel", "words", "its words stand further apart than those of other claims"},
	fieldsFalse:  {"fields_false", "field", "a yes or no of the sources is turned"},
	fieldsAgree:  {"fields_agree", "field", "no field of the sources agrees with it"},
}
