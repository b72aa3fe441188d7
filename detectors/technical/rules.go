package technical

// minReliable is the weight from which on findings are combined as independent.
const minReliable = 0.5

// The weight of each rule: our estimate of the probability that its finding is invented. There is no labelled data of links
// and packages to fit them on; their order matters most.
const (
	weightMalformed      = 0.8  // an address or identifier that cannot exist
	weightImpossibleDate = 0.85 // an arXiv id of an invalid or future month
	weightNumberRange    = 0.6  // an arXiv id above any month's number of papers
	weightUnknownTLD     = 0.75
	weightLookalike      = 0.8 // a host that imitates another one
	weightUserinfo       = 0.6 // https://known.org@elsewhere.net/
	weightPlaceholder    = 0.25
	weightBareAddress    = 0.25 // an IP address instead of a name
	weightFakeID         = 0.5  // 10.1234/abcd

	weightOtherPath     = 0.5  // the context contains the host, but not this page
	weightDeepLink      = 0.4  // a page of a host that is not in the sources
	weightHost          = 0.2  // the front page of such a host
	weightDeepAlone     = 0.15 // a page, when there are no sources
	weightHostAlone     = 0.05
	weightMail          = 0.45
	weightMailAlone     = 0.1
	weightID            = 0.5 // a DOI or arXiv id that is not in the sources
	weightDOIAlone      = 0.3
	weightArXivAlone    = 0.25
	weightUnknown       = 0.8 // the index lacks the name
	weightUnknownTypo   = 0.9 // and a popular name is one edit away
	weightUnknownModule = 0.4 // Python and Rust: it may be a module of another package or of the project
	weightModuleTypo    = 0.7
	weightNoStandard    = 0.8 // net/websocket: no such part of a standard library
	weightOddModule     = 0.35
	weightNoEndpoint    = 0.6 // the context lists other endpoints
	weightOtherMethod   = 0.5 // this path, but another method
	weightNoCall        = 0.5 // the context lists other functions of the object
	weightCallTypo      = 0.6 // one of them one or two edits away
	weightFakeHost      = 0.6 // fake-endpoint.com
	weightNoMember      = 0.6 // a listed module has no such member
	weightMemberTypo    = 0.7 // and another member is one or two edits away
	weightTypo          = 0.6 // without an index
	weightShortTypo     = 0.5 // of a name of at most five letters, which has many neighbors
	weightClose         = 0.3
	weightConflated     = 0.35
)

// faultKind is the result of a rule.
type faultKind uint8

const (
	faultNone      faultKind = iota
	faultUndecided           // no data to decide
	faultMalformed
	faultPlaceholder
	faultNotInContext
	faultUnknownName
	faultNearMiss
)

func (f faultKind) reason() string {
	switch f {
	case faultMalformed:
		return "an address or identifier in the answer cannot exist"
	case faultPlaceholder:
		return "an address in the answer is a placeholder"
	case faultUnknownName:
		return "the answer names a package or module that does not exist"
	case faultNearMiss:
		return "the answer names a package that resembles a well-known one"
	default:
		return "a link or identifier of the answer is in neither the prompt nor the sources"
	}
}

// assessment is the result for one mention.
type assessment struct {
	fault  faultKind
	weight float64 // 0 to 1
	note   string
}

// measureOf returns the index of the measure that counts the kind.
func measureOf(k Kind) int {
	switch k {
	case URL, Mail:
		return 0
	case DOI, ArXiv:
		return 1
	case Package:
		return 2
	case Member:
		return 4
	case Endpoint, Call:
		return 5
	default:
		return 3
	}
}
