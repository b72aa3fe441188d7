// Package dispatch turns flags into messages: it adds incidents to groups, selects the next work of each channel, and
// delivers through a [confab/alerting.Notifier] until the sink has accepted. Add makes membership durable and returns;
// Run delivers from that state. All retries of a sink are made here; the package is independent of any sink.
//
// A [Store] holds groups, messages, channels and partitions in memory. It sends no request and writes nothing: an [Update] or
// a [RecordChange] applies once the [alerting.StateLog] has it.
//
// A message (of one group, or of a digest, in one channel) has one [Phase]:
//
//	               post unconfirmed
//	 ┌─────────┐ ─────────────────────► ┌─────────────┐
//	 │ Planned │                        │ Unconfirmed │
//	 └─────────┘ ──┐                ┌── └─────────────┘
//	      │        └─post accepted──┘          │
//	part lost               │              part lost
//	      ▼                 ▼                  ▼
//	 Dissolving         ┌──────┐    DissolvingUnconfirmed
//	  │   │             │ Sent │          │        │
//	  │   │             └──────┘          │        │
//	  │   │     edit requested │ ▲ edit recorded   │
//	  │   │       edit started ▼ │        │        │
//	  │   │  EditDue, Unrecorded, UnrecordedEditDue│
//	  │   │                    │          │        │
//	  │   └──post accepted──┐  │part lost │        │
//	  │                     ▼  ▼          │        │
//	  │                   Detaching ◄─────┘        │
//	  │                        │     post accepted │
//	  └────────────────────► Closed ◄──────────────┘
//	                emptied (from any phase)
//
// Phase.after is the complete transition table.
package dispatch
