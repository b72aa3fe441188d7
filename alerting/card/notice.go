package card

import "confab/schemas"

// noticeCard returns the card of a notice, which is about no incident: its first line is the title, its last one what to do.
func noticeCard(alert *schemas.Alert) Card {
	var c Card
	for i, line := range alert.Notice {
		switch line = Clean(line, maxNote); i {
		case 0:
			c.Title = line
		case len(alert.Notice) - 1:
			c.Advice = line
		default:
			c.Groups = append(c.Groups, line)
		}
	}
	c.Fallback = c.Title
	return c
}
