package tools

import (
	_ "embed"
	"regexp"
	"slices"
	"strings"
	"unicode"

	"confab/internal/text"
)

// actionList has a line for each kind of action: its participles in English, German, French, Spanish and Italian, and parts of the
// names of tools that do it. * stands for any tool that changes something, + also for participles that mostly describe things: they
// count only where the assistant says that it did it, # only where it is a note for someone.
//
//go:embed actions.txt
var actionList string

// wordLists are lists of words by name; those of a grammar begin with the language.
//
//go:embed words.txt
var wordLists string

//nolint:gochecknoglobals // read-only tables
var (
	lists = readLists()
	forms = readActions()
	// readName has a word for what is only read, actPart one that begins with a part of the support of some action.
	readName = regexp.MustCompile(`(?i)(?:^|[^a-z])(?:quot|pric|rate|balanc|avail|forecast|estimat|histor|catalog|polic|stock|preview|compar|compute)`)
	actPart  = regexp.MustCompile(`(?i)(?:^|[^a-z])(?:track|trace|` + strings.Join(strings.Fields(regexp.MustCompile(`(?m)^.*\|[*+#]?`).ReplaceAllString(actionList, " ")), "|") + ")")
)

// Names of tools, arguments and fields.
var (
	lookupName  = regexp.MustCompile(`^(?:(?i:get|list|search|find|check|read|describe|lookup|fetch|query|show|view|retrieve|count|browse|calculate|convert|weather)(?:[^a-z]|$)|.*(?i:search|lookup|retriever|retrieval|status|state|info|details)$)`)
	changeName  = regexp.MustCompile(`(?i)^(?:check_?in|create|update|change|delete|save|add|set|remove|run|cancel)`)
	actName     = regexp.MustCompile(`(?i)^(?:create|update|set|open|book|place|order|send|transfer|pay|refund|issue|submit)`)
	hostName    = regexp.MustCompile(`(?i)^(?:web_search|code_interpreter|file_search|computer|final_|think$|parallel$|transfer_to_|handoff)`)
	idName      = regexp.MustCompile(`(?:_id|I[dD])$`)
	isReference = regexp.MustCompile(`(?i)(?:^|_)(?:id|nr|no|num|code|ref)$|I[dD]$`)
	plainValue  = regexp.MustCompile(`^[\d:.,+TZ /-]*$`)
	centName    = regexp.MustCompile(`(?i)(?:cents?|cts|pence|minor|micros|centimes|centimos|céntimos)$`)
	ownName     = regexp.MustCompile(`(?i)(?:request|session|server|trace|correlation)_?(?:id|key|token|time|ms)?$|idempot|took_|nonce|uuid`)
	ownerName   = regexp.MustCompile(`(?i)^(?:customer|user|account|member|client|guest|tenant|profile|contact|upn|login|owner|assignee|requester|principal|for$)`)
	guessName   = regexp.MustCompile(`(?i)^\S*colou?r\S* |(?:zip|plz|post(?:al)?_?code) \d+$`) // with a value: what a model knows of a thing
	phoneName   = regexp.MustCompile(`(?i)(?:phone|mobile|fax)$`)
	numberName  = regexp.MustCompile(`(?i)(?:^|_|[a-z])(?:ids?|number|ref(?:erence)?|code|pin|iban|account|policy|order|ticket|invoice|booking|card|claim|sku|serial|tracking|dos(?:e|age)|patient|customer|postcode|zip|street|address)$|_(?:no|num|nr)$`)
	codeWord    = regexp.MustCompile(`\b[A-Z]{1,4}-?\d{4,}\b`)
	anyID       = regexp.MustCompile(`\d{4}|\pL-?\d{2}|@`)
	noCode      = regexp.MustCompile(`^[A-Z]+-?20\d\d[01]\d(?:[0-3]\d)?$|^(?:ISO|RFC|EN|DIN|IEC|EUR|USD|CHF|GBP)-?\d+$`) // a date, a standard, an amount
	textFollows = regexp.MustCompile(`^[*_ \x{a0}]*:[*_ ]*\n`)
	formula     = regexp.MustCompile(`(?s)^.*[=(){}].*$`)
	failField   = regexp.MustCompile(`(?i)^(?:(?:is_?|has_?)?errors?|err(?:or)?_?(?:code|message|msg)|fault_?(?:code|string)|failed|failures|rejected|not_found|conflict)$`)
	errorPart   = regexp.MustCompile(`(?i)^(?:name|type|title|status|message|msg|details?|description|reason|cause|hint|help|path|time|timestamp|(?:trace|request|correlation)_?(?:id)?|retry\w*|docs?|info)$`) // of an object that says nothing else
	failCode    = regexp.MustCompile(`(?i)^(?:\w+_)?(?:error|time(?:d_)?out|deadline_exceeded|fail(?:ed|ure)|denied|forbidden|unauthori[sz]ed|unauthenticated|(?:not_|un)(?:available|reachable)|not_(?:found|allowed|permitted|possible|implemented)|rejected|rate_limit(?:ed)?|too_many_requests|bad_(?:request|gateway)|conflict|aborted|exhausted|failed_precondition|(?:invalid|insufficient)_\w+)$`)
	httpError   = regexp.MustCompile(`(?i)^[45]\d\d .*\b(?:errors?|time-?outs?|timed out|fail(?:s|ed|ure)?|denied|forbidden|unauthori[sz]ed|not (?:found|allowed|permitted|authori[sz]ed)|(?:un|not )(?:available|reachable)|bad (?:gateway|request)|down|conflict|too many requests|invalid|refused|rejected|exceeded|unable|cannot|could(?: not|n't))\b`)
	okField     = regexp.MustCompile(`(?i)^(?:ok|success|succeeded|healthy)$`)
	stateField  = regexp.MustCompile(`(?i)^(?:status|state|result|outcome|statut|état|estado|stato|esito|zustand|ergebnis|(?:http_?)?status_?code)$`)
	failState   = regexp.MustCompile(`(?i)^(?:fail(?:ed|ure)|error|errore|erreur|fehler|fehlgeschlagen|abgelehnt|fallid[oa]|fallit[oa]|échec|échoué|rechazad[oa]|rifiutat[oa]|refusée?|rejected|denied|declined|refused|forbidden|unauthorized|timeout|timed_out|jammed|stuck|offline|unreachable|unavailable|aborted|bounced|undeliver(?:ed|able)|out_of_stock|sold_out|conflict|invalid|expired|insufficient\w*|skipped|partial(?:ly)?(?:_\w+)?|incomplete|unchanged|not_(?:found|available|allowed|permitted|possible|sent|delivered|updated|saved)|[45]\d\d)$`)
	takenText   = regexp.MustCompile(`(?i)^(?:false|0|none|no|full|fully_booked|booked|reserved|taken|occupied|unavailable|sold_?out)$`)
	noValue     = regexp.MustCompile(`(?i)^(?:|null|false|0+|none|ok|success|no_?error)$`)
	errorText   = regexp.MustCompile(`(?i:^(?:\W|<[^>]*>)*(?:https?(?:/[\d.]+)?[ :]+(?:error |status )?[45]\d\d\b|[45]\d\d:? (?:bad (?:gateway|request)|gateway time-?out|internal server|service (?:temporarily )?unavailable|forbidden|unauthori[sz]ed|not found|conflict|too many requests|request time-?out)\b)|\bstatus code [45]\d\d\b|^\W*(?:error|fatal|traceback|exception|failed|rejected|denied|declined|refused|forbidden|unauthori[sz]ed|timeout|timed out)\b|\b[1-9]\d* failed\b|\bexit (?:status|code) 1)|\bFAIL\b`)
	date        = regexp.MustCompile(`^(?:\d\d[:/.]|\d{4}-)`)
	localTime   = regexp.MustCompile(`\d-\d\d[T ]\d\d:\d\d(?::\d\d)?(?:\.\d+)?"`)
	nullMember  = regexp.MustCompile(`,\s*"[^"\\]*"\s*:\s*null\b|"[^"\\]*"\s*:\s*null\s*,?`)
	quotation   = regexp.MustCompile(`"[^"\n]*"|“[^”]*”|«[^»]*»|„[^“]*“|(?m:^[ \t]*>.*$)`)
	clauseEnd   = regexp.MustCompile(`[,;:()–—\n]`)
	identifier  = regexp.MustCompile(`[A-Za-z0-9_#-]{3,40}`)
	atSign      = regexp.MustCompile(`\s*[([]?\b(?:at|arroba|chiocciola|chez|ät|bei)\b[)\]]?\s*`)
	dotSign     = regexp.MustCompile(`\s*[([]?\b(?:dot|punkt|point|punto)\b[)\]]?\s*`)
	zoneName    = regexp.MustCompile(`\b(?:UTC|GMT)\b|\b[A-Z][a-z]+/[A-Z][a-z]+|:\d\d(?:\.\d+)?(?:Z|\+00:?00)\b|(?i:time ?zone|zeitzone|fuseau|zona horaria|fuso orario)`)
	listMark    = regexp.MustCompile(`^[ \t>*#-]*\d+[.)][*_ ]$`)
	digitRuns   = regexp.MustCompile(`\d+`)
	codePart    = regexp.MustCompile(`(?:\pL|#)(?:[-_/.#]{0,2}\d+)+|\d+[-_/]?\pL`)
	noteLeft    = regexp.MustCompile(`(?i)left an?(?:other)? (?:\w+ )?(?:note|message|voicemail|memo) (?:for|with|to)\b|einen? (?:\pL+ )?(?:notiz|nachricht) hinterlassen|laissé une? (?:\pL+ )?(?:mot|note|message) (?:pour|à|aux?)\b|dejado una? (?:\pL+ )?(?:nota|mensaje|recado) (?:para|al?)\b|lasciato una? (?:\pL+ )?(?:nota|messaggio) (?:per|al?|alla)\b`)
	wordStart   = regexp.MustCompile(`[A-Z]+`) // of a name in camel case
	nameWord    = regexp.MustCompile(`[A-Z]?[a-z]{3,}`)
)

func readLists() map[string]text.WordSet {
	all := map[string]text.WordSet{}
	for part := range strings.SplitSeq(wordLists[1:], "\n[") {
		name, list, _ := strings.Cut(part, "]")
		all[name] = text.HashSet(list)
	}
	return all
}

// form is a participle of a kind of action.
type form struct {
	family   *family
	language string
	accented bool // which its hash does not tell: "note" is not "noté"
}

// family is a kind of action.
type family struct {
	support []string // parts of the names of tools that do it, or * or +
	done    []string // English participles, which results have
}

func readActions() map[uint64]form {
	forms := map[uint64]form{}
	for line := range strings.Lines(actionList) {
		columns := strings.Split(line, "|")
		f := &family{strings.Fields(columns[5]), strings.Fields(columns[0])}
		for l, language := range []string{"en", "de", "fr", "es", "it"} {
			for w := range strings.FieldsSeq(columns[l]) {
				forms[text.Hash(w)] = form{f, language, !isASCII(w)}
			}
		}
	}
	return forms
}

func isASCII(s string) bool {
	return !strings.ContainsFunc(s, func(r rune) bool { return r > unicode.MaxASCII })
}

func hasAny(tokens []text.Token, list string) bool {
	set := lists[list]
	return slices.ContainsFunc(tokens, func(w text.Token) bool { return set.Has(w.Hash) })
}

// hasNot reports "don't" and the like.
func hasNot(w string) bool { return strings.HasSuffix(w, "n't") || strings.HasSuffix(w, "n’t") }
