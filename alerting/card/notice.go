package card

import "confab/schemas"

// noticeCard returns the card of a notice, which is about no incident.
func noticeCard(alert *schemas.Alert) Card {
	c := Card{Title: "Notice", Advice: "Nothing, if you agree. Otherwise run the command of the last line."}
	for i, line := range alert.Notice {
		if line = Clean(line, maxNote); i == 0 {
			c.Title = line
		} else {
			c.Groups = append(c.Groups, line)
		}
	}
	c.Fallback = "[notice] " + c.Title
	return c
}
