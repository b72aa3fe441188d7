// Package pages renders the HTML of `confab ui`: lists of incidents, one incident, the review queue and trends. The pages
// work without JavaScript and load nothing from elsewhere.
package pages
