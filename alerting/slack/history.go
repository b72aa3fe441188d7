package slack

import (
	"context"
	"errors"
	"strings"

	"github.com/slack-go/slack"

	"confab/alerting"
	"confab/alerting/card"
	"confab/alerting/httpsend"
	"confab/schemas"
)

// MetadataEvent and MetadataMessage are the event type and the key of the message id in the metadata of messages.
const (
	MetadataEvent   = "confab_alert"
	MetadataMessage = "message"
)

const (
	metadataIncident = "incident_id"

	opHistory    = "read the Slack channel's history"
	historyLimit = 100 // messages a page, which fit into a bounded reply
	historyPages = 6   // pages searched for an earlier attempt
	historyTries = 5   // failures in a row after which an attempt counts as not found
)

// messageMetadata identifies the message in the channel's history. Slack does not display it.
func messageMetadata(alert *schemas.Alert) slack.MsgOption {
	return slack.MsgOptionMetadata(slack.SlackMetadata{
		EventType:    MetadataEvent,
		EventPayload: map[string]any{metadataIncident: alert.Flag.IncidentID, MetadataMessage: alert.Message},
	})
}

// isMessageOf reports whether the metadata is that of the alert's message. An alert without an id has no message.
func isMessageOf(m slack.SlackMetadata, alert *schemas.Alert) bool {
	return m.EventType == MetadataEvent && alert.Message != "" && m.EventPayload[MetadataMessage] == alert.Message
}

// findEarlier searches for an earlier message of the alert. When the history cannot be read, it finds nothing after
// historyTries failures: a possible duplicate is better than no message.
func (b *Bot) findEarlier(ctx context.Context, channel string, alert *schemas.Alert) (schemas.Receipt, error) {
	if id, ok := b.channelIDs.Load(channel); ok {
		channel, _ = id.(string)
	}
	receipt, err := b.search(ctx, channel, alert)
	e, ok := errors.AsType[*alerting.Error](err)
	if !ok { // found, not found, or ctx ended
		b.historyFailures.Delete(alert.Message)
		return receipt, err
	}
	n, _ := b.historyFailures.Load(alert.Message)
	tries, _ := n.(int)
	switch {
	case e.Reason == alerting.ReasonRateLimited:
		return schemas.Receipt{}, httpsend.Unambiguous(e)
	case e.Class == alerting.Retryable && tries+1 < historyTries:
		b.historyFailures.Store(alert.Message, tries+1)
		return schemas.Receipt{}, httpsend.Unambiguous(e) // nothing was posted, and the caller retries
	}
	b.historyFailures.Delete(alert.Message)
	return schemas.Receipt{}, nil
}

// search reads the channel's messages, the newest first.
func (b *Bot) search(ctx context.Context, channel string, alert *schemas.Alert) (schemas.Receipt, error) {
	cursor := ""
	for range historyPages {
		page, err := b.history(ctx, channel, cursor)
		if err != nil {
			return schemas.Receipt{}, err
		}
		for i := range page.Messages {
			if m := &page.Messages[i]; isMessageOf(m.Metadata, alert) {
				return schemas.Receipt{Channel: channel, Timestamp: m.Timestamp, Found: !strings.Contains(m.Text, card.DuplicateMark)}, nil
			}
		}
		if cursor = page.ResponseMetaData.NextCursor; cursor == "" {
			break
		}
	}
	return schemas.Receipt{}, nil
}

// history reads a page of the channel's messages.
func (b *Bot) history(ctx context.Context, channel, cursor string) (page *slack.GetConversationHistoryResponse, err error) {
	err = b.send.Call(ctx, opHistory, httpsend.Limit{Key: opHistory + channel}, func(ctx context.Context) (err error) {
		page, err = b.api().GetConversationHistoryContext(ctx, &slack.GetConversationHistoryParameters{
			ChannelID: channel, Cursor: cursor, Limit: historyLimit, IncludeAllMetadata: true,
		})
		return err
	})
	return page, err
}
