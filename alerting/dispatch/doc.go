// Package dispatch turns flags into messages: it adds incidents to groups, selects the next work of each channel, and
// delivers through a [confab/alerting.Notifier] until the sink has accepted. Add makes membership durable and returns;
// Run delivers from that state. All retries of a sink are made here; the package is independent of any sink.
//
// The store holds groups, messages, channels and partitions in memory. It sends no request and writes nothing: an update or
// a record change applies once the log has it.
//
// A message (of one group, or of a digest, in one channel) has one phase:
//
//	               post unconfirmed
//	 ┌─────────┐ ─────────────────────► ┌─────────────┐
//	 │ planned │                        │ unconfirmed │
//	 └─────────┘ ──┐                ┌── └─────────────┘
//	      │        └─post accepted──┘          │
//	part lost               │              part lost
//	      ▼                 ▼                  ▼
//	 dissolving         ┌──────┐    dissolvingUnconfirmed
//	  │   │             │ sent │          │        │
//	  │   │             └──────┘          │        │
//	  │   │     edit requested │ ▲ edit started    │
//	  │   │                    ▼ │        │        │
//	  │   │                  editDue      │        │
//	  │   │                    │          │        │
//	  │   └──post accepted──┐  │part lost │        │
//	  │                     ▼  ▼          │        │
//	  │                   detaching ◄─────┘        │
//	  │                        │     post accepted │
//	  └────────────────────► closed ◄──────────────┘
//	                emptied (from any phase)
//
// The method after is the complete transition table.
package dispatch
