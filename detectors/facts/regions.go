package facts

import (
	"strings"

	"confab/internal/text"
)

// regions pairs codes of states and some countries with their names.
const regions = `AL:Alabama AK:Alaska AZ:Arizona AR:Arkansas CA:California CO:Colorado CT:Connecticut DE:Delaware FL:Florida
GA:Georgia HI:Hawaii ID:Idaho IL:Illinois IN:Indiana IA:Iowa KS:Kansas KY:Kentucky LA:Louisiana ME:Maine MD:Maryland
MA:Massachusetts MI:Michigan MN:Minnesota MS:Mississippi MO:Missouri MT:Montana NE:Nebraska NV:Nevada NH:New_Hampshire
NJ:New_Jersey NM:New_Mexico NY:New_York NC:North_Carolina ND:North_Dakota OH:Ohio OK:Oklahoma OR:Oregon PA:Pennsylvania
RI:Rhode_Island SC:South_Carolina SD:South_Dakota TN:Tennessee TX:Texas UT:Utah VT:Vermont VA:Virginia WA:Washington
WV:West_Virginia WI:Wisconsin WY:Wyoming DC:District_of_Columbia AB:Alberta BC:British_Columbia MB:Manitoba ON:Ontario
QC:Quebec US:United_States US:America US:American UK:United_Kingdom UK:Britain UK:British EU:European_Union
UAE:United_Arab_Emirates`

type region struct {
	letters, name string
	code          uint64 // hash of the letters
}

var regionTable = readRegions() //nolint:gochecknoglobals // a read-only table

func readRegions() []region {
	var list []region
	for pair := range strings.FieldsSeq(regions) {
		letters, name, _ := strings.Cut(pair, ":")
		list = append(list, region{letters: letters, name: strings.ReplaceAll(name, "_", " "), code: text.Hash(letters)})
	}
	return list
}
