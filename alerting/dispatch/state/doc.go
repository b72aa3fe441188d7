// Package state holds alert groups, messages, channels and partitions in memory and decides what to write about them.
// It sends no request and writes nothing: an [Update] or a [RecordChange] applies once the log has it. The caller owns the
// lock and the clock.
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
package state
