//nolint:gochecknoglobals // the rules are read-only
package technical

// minReliable is the weight from which on findings are combined as independent.
const minReliable = 0.5

// class is the kind of fault of a rule.
type class uint8

const (
	none      class = iota
	malformed       // it cannot exist
	placeholder
	notInContext
	unknownName
	nearMiss
)

// reason is that of a finding whose worst fault is of the class.
func (c class) reason() string {
	return [...]string{
		malformed:    "an address or identifier in the answer cannot exist",
		placeholder:  "an address or name in the answer is a placeholder",
		notInContext: "a link or identifier of the answer is in neither the prompt nor the sources",
		unknownName:  "the answer names a package or module that does not exist",
		nearMiss:     "the answer names a package that resembles a well-known one",
	}[c]
}

// rule is a kind of finding.
type rule struct {
	id     string
	class  class
	weight float64 // 0 to 1
	note   string  // the verdict's detail follows it
}

const (
	notePath     = "not a module path: one begins with a host, as in github.com/owner/name"
	noteContext  = "in neither the prompt nor the sources"
	noteNoPart   = "the standard library of "
	notePackage  = "not the well-known package "
	noteHolder   = "a placeholder for an address"
	noteArXiv    = "no arXiv id has this form"
	noteOtherURL = "the prompt or the sources contain the host, but not this page"
)

// The rules. The weight is our estimate of the probability that the finding is invented: there is no labelled data of links and
// packages to fit it on, and the order matters most. From the default threshold of .60 on, a finding fires by itself.
var (
	sound     = &rule{} // nothing is wrong
	undecided = &rule{} // no data to decide

	hostForm    = &rule{"host_form", malformed, .8, "no host can have this name"}
	hostPort    = &rule{"host_port", malformed, .8, "no port can have this number"}
	hostTLD     = &rule{"host_tld", malformed, .75, "there is no such top-level domain"}
	hostLike    = &rule{"host_lookalike", malformed, .8, "the host imitates another one by similar letters"}
	hostLogin   = &rule{"host_login", malformed, .6, "what looks like the host is a login; the host comes after the @"}
	hostReserve = &rule{"host_placeholder", placeholder, .25, noteHolder}
	hostFake    = &rule{"host_invented", placeholder, .6, noteHolder}
	hostAddress = &rule{"host_address", notInContext, .25, "a bare IP address that is in neither the prompt nor the sources"}
	pathFake    = &rule{"page_invented", placeholder, .6, "a placeholder for a page"}

	pageOther   = &rule{"page_of_source_host", notInContext, .6, noteOtherURL}
	pageNear    = &rule{"page_of_known_host", notInContext, .5, noteOtherURL}
	pageUnknown = &rule{"page", notInContext, .4, noteContext}
	hostUnknown = &rule{"host", notInContext, .2, noteContext}
	unsourced   = &rule{"address_no_sources", notInContext, .15, noteContext}
	mailUnknown = &rule{"mail", notInContext, .45, noteContext}

	doiForm     = &rule{"doi_form", malformed, .8, "no DOI has this form: expected 10., a registrant of four to nine digits, a slash, a name"}
	doiFake     = &rule{"doi_placeholder", placeholder, .5, "this looks like a placeholder for a DOI"}
	arXivForm   = &rule{"arxiv_form", malformed, .8, noteArXiv}
	arXivMonth  = &rule{"arxiv_month", malformed, .85, "an arXiv id begins with year and month; there was no such month"}
	arXivAhead  = &rule{"arxiv_future", malformed, .85, "this arXiv id is of a month after the answer"}
	arXivRange  = &rule{"arxiv_number", malformed, .6, "arXiv never had so many papers in a month"}
	idOther     = &rule{"id_not_listed", notInContext, .6, noteContext}
	idUnsourced = &rule{"id_no_sources", notInContext, .3, noteContext}
	idUnknown   = &rule{"id", notInContext, .5, noteContext}

	packageForm     = &rule{"package_form", malformed, .8, "no package can have this name"}
	modulePath      = &rule{"module_path", malformed, .8, notePath}
	packageStandard = &rule{"package_standard", unknownName, .65, "a module of the standard library; there is nothing to install"}
	packageTwin     = &rule{"package_twin", nearMiss, .65, "the package is called "}
	packageFake     = &rule{"package_invented", placeholder, .6, "a placeholder for a package"}
	packageUnknown  = &rule{"package_unknown", unknownName, .8, "no such package in the "}
	packageTypo     = &rule{"package_unknown_typo", unknownName, .9, "no such package in the "}
	nameUnknown     = &rule{"module_unknown", unknownName, .4, "no such package in the "} // it may be a module of another package
	nameTypo        = &rule{"module_unknown_typo", unknownName, .7, "no such package in the "}
	nearTypo        = &rule{"near_typo", nearMiss, .6, notePackage} // without an index
	nearShort       = &rule{"near_short", nearMiss, .5, notePackage}

	noModule   = &rule{"standard_part", unknownName, .8, noteNoPart}
	oddModule  = &rule{"standard_odd", unknownName, .35, "neither a package of Go's standard library nor the path of a module"}
	noMember   = &rule{"member", unknownName, .6, ""}
	memberTypo = &rule{"member_typo", unknownName, .7, ""}

	noEndpoint  = &rule{"endpoint", notInContext, .6, "the context lists other endpoints"}
	otherMethod = &rule{"endpoint_method", notInContext, .5, "the context has "}
	noCall      = &rule{"call", notInContext, .6, "the context describes other functions"}
	callTypo    = &rule{"call_typo", notInContext, .65, "the context has "}
	noKeyword   = &rule{"keyword", notInContext, .6, "the context describes other parameters: "}
)

// verdict is the result for one mention.
type verdict struct {
	*rule
	detail string
}
