package negatives

import "strings"

// Words on a line of a class are interchangeable; a line of pairs holds two words per pair.

//nolint:gochecknoglobals // read-only tables
var (
	figureWords = wordClasses(`two three four five six seven eight nine ten eleven twelve
thirteen fourteen fifteen sixteen seventeen eighteen nineteen
twenty thirty forty fifty sixty seventy eighty ninety
hundred thousand million billion
hundreds thousands millions billions
double triple quadruple
doubled tripled quadrupled
twice thrice
minute hour day week month year decade
seconds minutes hours days weeks months years decades
daily weekly monthly yearly
second third fourth fifth sixth seventh eighth ninth tenth
miles kilometers meters feet yards inches centimeters
pounds kilograms grams ounces tons
gallons liters pints
percent degrees
dollars euros pounds yen`)

	dateWords = wordClasses(`january february march april may june july august september october november december
monday tuesday wednesday thursday friday saturday sunday
mondays tuesdays wednesdays thursdays fridays saturdays sundays
spring summer autumn winter`)

	// classWords are small classes of words that are seldom true of the same thing.
	classWords = wordClasses(`red blue green yellow purple orange black white brown pink gray
north south east west
northern southern eastern western
morning afternoon evening
breakfast lunch dinner
cat dog horse rabbit parrot
cats dogs horses rabbits parrots
hospital school church library museum prison factory theater
hospitals schools churches libraries museums prisons factories theaters
doctor lawyer engineer teacher farmer journalist accountant architect
doctors lawyers engineers teachers farmers journalists accountants architects
football baseball basketball tennis hockey cricket golf
guitar piano violin drums trumpet
novel poem film song painting play album
novels poems films songs paintings plays albums
chicken beef pork fish lamb turkey
coffee tea beer wine juice milk
car train bus bicycle boat plane truck
cars trains buses bicycles boats planes trucks
wood steel glass plastic concrete copper aluminum
wooden metal plastic leather
heart lung liver kidney brain stomach
knee elbow shoulder ankle wrist
email letter phone fax
insurance banking farming mining tourism
health property travel pet
energy water food clothing
novice expert intermediate
visual auditory textual numerical
genetic neural linear random
voice gesture text
chemistry physics biology economics philosophy
president chairman treasurer secretary
mayor governor senator ambassador
novelist painter composer sculptor
river lake mountain valley
city village county province
king queen prince duke
copper silver gold zinc
oxygen nitrogen hydrogen carbon
headache fever nausea rash dizziness
orally intravenously topically`)

	roleWords = mapPairs(`buyer seller;buyers sellers;employer employee;employers employees;doctor patient;doctors patients
teacher student;teachers students;parent child;parents children;lender borrower;lenders borrowers;landlord tenant
landlords tenants;plaintiff defendant;plaintiffs defendants;prosecutor suspect;winner loser;winners losers;host guest
hosts guests;husband wife;mother father;son daughter;brother sister;brothers sisters;uncle aunt;attacker victim
attackers victims;owner renter;owners renters;speaker listener;writer reader;writers readers;customer supplier
customers suppliers;client contractor;clients contractors;sender recipient;senders recipients;donor beneficiary
donors beneficiaries;trainer trainee;mentor apprentice;importer exporter;importers exporters;creditor debtor
creditors debtors;insurer policyholder;insurers policyholders;interviewer interviewee;predator prey;actor director
producer consumer;producers consumers;manager assistant;managers assistants;driver passenger;drivers passengers
supporters opponents;supporter opponent;critics fans;ancestor descendant;ancestors descendants;boys girls;boy girl
men women;man woman;male female;males females;he she;master servant;captain crew
encoder decoder;input output;inputs outputs;source target;numerator denominator`)

	symmetricWords = wordSet(`met meets married marry marries divorced between versus vs equals resembles resemble cousin cousins friends
partners together both alongside joined joins and or`)

	auxiliaryVerbs  = wordSet(`is are was were can could will would should must may might has have had do does did`)
	formsOfBe       = wordSet(`is are was were`)
	formsOfDo       = wordSet(`do does did`)
	formsOfHave     = wordSet(`has have had`)
	objectStarts    = wordSet(`the a an his her their its our your this these that those all any some him them`)
	abstainingWords = wordSet(`passage passages unable sorry cannot unfortunately unknown context`)
	sentenceOpeners = wordSet(`later earlier today yesterday tomorrow meanwhile moreover furthermore additionally finally eventually
recently currently former formerly according since despite unlike besides overall interestingly unfortunately sadly happily
perhaps maybe nevertheless nonetheless instead indeed initially originally previously subsequently similarly likewise
conversely consequently hence thanks given based using following including regarding concerning towards throughout upon
please note sure yes no okay hello dear although because while whereas unless if when mr mrs ms dr prof`)
	countedParts         = wordSet(`passage passages source sources document documents step figure table section chapter item option part`)
	affirmativeOf        = mapPairsOneWay(`cannot can;can't can;never always;without with;nobody everybody;nothing everything;unable able;lacks has`)
	antonymsAndWeaker    = mapOpposites(antonymPairs, oneWay)
	antonymsOf           = mapOpposites(antonymPairs, "")
	synonymsOf           = mapOpposites(synonymPairs, "")
	expansionOf          = mapPairsOneWay(contracted)
	contractionOf        = reverseMap(expansionOf)
	baseForms, pastForms = verbForms(irregularVerbs, regularVerbs)
	listConjunctions     = wordSet(`and or`)
	digitsOf             = numberWords()
	wordsOf              = reverseMap(digitsOf)
)

// wordClasses maps every word to the words of its line.
func wordClasses(lines string) map[string][]string {
	out := map[string][]string{}
	for line := range strings.Lines(lines) {
		class := strings.Fields(line)
		for _, word := range class {
			if _, taken := out[word]; !taken {
				out[word] = class
			}
		}
	}
	return out
}

// splitPairs splits a list of pairs at line ends and semicolons.
func splitPairs(list string) []string {
	return strings.FieldsFunc(list, func(r rune) bool { return r == ';' || r == '\n' })
}

// mapPairs maps each word of a pair to the other; the first pair of a word counts.
func mapPairs(list string) map[string]string {
	out := map[string]string{}
	for _, pair := range splitPairs(list) {
		a, b, _ := strings.Cut(pair, " ")
		if out[a] == "" {
			out[a] = b
		}
		if out[b] == "" {
			out[b] = a
		}
	}
	return out
}

// mapPairsOneWay maps the first word of each pair to the rest.
func mapPairsOneWay(list string) map[string]string {
	out := map[string]string{}
	for _, pair := range splitPairs(list) {
		a, b, _ := strings.Cut(pair, " ")
		out[a] = b
	}
	return out
}

// mapOpposites maps each word of a pair to all its partners, and the first words of one-way pairs to the second.
func mapOpposites(list, once string) map[string][]string {
	out := map[string][]string{}
	for _, pair := range splitPairs(list) {
		a, b, _ := strings.Cut(pair, " ")
		out[a], out[b] = append(out[a], b), append(out[b], a)
	}
	for _, pair := range splitPairs(once) {
		a, b, _ := strings.Cut(pair, " ")
		out[a] = append(out[a], b)
	}
	return out
}

func reverseMap(m map[string]string) map[string]string {
	out := make(map[string]string, len(m))
	for a, b := range m {
		out[b] = a
	}
	return out
}

func wordSet(words string) map[string]bool {
	out := map[string]bool{}
	for word := range strings.FieldsSeq(words) {
		out[word] = true
	}
	return out
}

// verbForms maps inflected forms (past, third person) to the base, and bases to their past.
func verbForms(irregular, regular string) (toBase, past map[string]string) {
	toBase, past = map[string]string{}, mapPairsOneWay(irregular)
	for verb := range strings.FieldsSeq(regular) {
		past[verb] = regularPast(verb)
	}
	for base, form := range past {
		toBase[form], toBase[thirdPerson(base)] = base, base
	}
	return toBase, past
}

// regularPast is the past of a verb that does not double its consonant.
func regularPast(verb string) string {
	switch n := len(verb); {
	case verb[n-1] == 'e':
		return verb + "d"
	case verb[n-1] == 'y' && !strings.ContainsRune("aeiou", rune(verb[n-2])):
		return verb[:n-1] + "ied"
	}
	return verb + "ed"
}

func numberWords() map[string]string {
	out := map[string]string{}
	for i, word := range strings.Fields(`two three four five six seven eight nine ten eleven twelve`) {
		out[word] = []string{"2", "3", "4", "5", "6", "7", "8", "9", "10", "11", "12"}[i]
	}
	out["twenty"], out["thirty"], out["forty"], out["fifty"] = "20", "30", "40", "50"
	return out
}
