package main

import (
	"slices"
	"strings"
)

// removed says what replaces commands and flags that went: the words of the command line, then the advice.
func removed() [][2]string {
	const schemaFlag = "confab schema compares, confab schema --register registers"
	return [][2]string{
		{"fit", "the shipped model is fixed; confab calibrate fits thresholds to your labels"},
		{"config test", "confab map FILE"},
		{"index build", "confab index NAMES"},
		{"schema check", schemaFlag},
		{"schema register", schemaFlag},
		{"silence add", "confab silence --for 2h"},
		{"silence list", "confab silence"},
		{"silence expire", "confab silence --expire ID"},
		{"observations add", "confab observations --add-claim TEXT"},
		{"observations list", "confab observations"},
		{"observations delete", "confab observations --delete"},
		{"observations import", "confab observations --add-claim TEXT adds one claim"},
		{"observations --add", "confab observations --add-claim TEXT, or label the incident: the role alert keeps its claims"},
		{"observations --import", "confab observations --add-claim TEXT adds one claim"},
		{"check --observations", "confab serve and confab run match them"},
		{"calibrate --fit", "the shipped model is fixed"},
		{"calibrate --report", "confab evaluate --rows FILE has what it showed"},
		{"calibrate --budget", "--false-alarms bounds the alerts on good answers"},
		{"calibrate --traffic", "--false-alarms bounds the alerts on good answers"},
		{"calibrate --rule-precision", "--target-precision"},
		{"calibrate --keep", "what is in force is kept: --set calibration_file=FILE names another"},
		{"calibrate --pooled", "tenants and operations with enough labels have thresholds of their own"},
		{"calibrate --flag-base-rate", "give rows a weight"},
		{"calibrate --sets", "name only the files of these sets with --labels"},
		{"evaluate --folds", "evaluate rows that the calibration was not made on"},
		{"evaluate --report", "--json FILE or --rows FILE"},
		{"evaluate --against", "compare two --json FILE"},
		{"evaluate --format", "--json FILE has all figures"},
		{"evaluate --where", "filter the labelled rows with jq"},
		{"evaluate --mix", "weights in the rows re-weight them"},
		{"evaluate --texts", "join the texts to --rows FILE by id"},
		{"join --label-at", "write a file of scores with jq, and name it with --scores"},
		{"replay --to", "write standard output to the topic with a tool of Kafka"},
	}
}

// replacement is the advice for a command line with something that was removed; "" for others. Flags of the root may come first.
func replacement(args []string) string {
	for _, r := range removed() {
		rest, all := args, true
		for word := range strings.FieldsSeq(r[0]) {
			i := slices.IndexFunc(rest, func(a string) bool {
				return a == word || strings.HasPrefix(word, "--") && strings.HasPrefix(a, word+"=")
			})
			if all = i >= 0; !all {
				break
			}
			rest = rest[i+1:]
		}
		if all {
			return "; " + strings.ReplaceAll(r[0], " --", "'s --") + " was removed: " + r[1]
		}
	}
	return ""
}
