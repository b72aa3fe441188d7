// Package claims measures how each claim of an answer meets its evidence, as a row of columns, and applies a learned model to
// them.
package claims

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
	figuresOut                 // figures that no evidence has
	figuresFree                // of these, not derivable from others
	figuresE1                  // share that the best unit has
	evFigures                  // figures of the best unit that the claim lacks
	figureOwn                  // support of the words around the worst figure, where the evidence has it
	figureOther                // support of them where the evidence has another figure of the kind
	figureGap                  // how much better another figure fits
	figureClash                // a unit fits the words better and has another figure
	figureMean                 // mean support of the words around figures
	namesN                     // names
	namesOut                   // names in no evidence
	nameGap                    // how much better another name fits the words around a name
	nameRatio                  // the same as a ratio
	nameMin                    // support of the words around the worst name
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
	columnsN
)

var columnNames = [columnsN]string{ //nolint:gochecknoglobals // a read-only table
	"cov1", "cov2nd", "cov3", "cov_all", "clause_min", "evidence_n", "e1_len", "ev_unused", "ev_run",
	"nov1", "nov2", "nov3", "cbi", "cbi_known", "run_share", "miss_weight", "miss_last", "miss_run",
	"aligned", "inversions", "jumps", "backs",
	"figures_n", "figures_src", "figures_out", "figures_free", "figures_e1", "ev_figures",
	"figure_own", "figure_other", "figure_gap", "figure_clash", "figure_mean",
	"names_n", "names_out", "name_gap", "name_ratio", "name_min",
	"neg_only", "neg_lost", "neg_scope", "neg_scope_lost", "neg_parity", "opposites", "wholes",
	"pair_mean", "pair_min", "cited_gap", "cited", "cited_figures",
	"terms_n", "content_n", "units_n", "sources_n", "is_item", "is_row", "claims_n", "records_n",
	"ev_unused_rel", "clause_min_rel", "pair_rel",
}
