// Package teams posts alerts to Microsoft Teams as Adaptive Cards, through a webhook of a Power Automate workflow.
package teams
