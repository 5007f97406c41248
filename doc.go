// Package qed is the vocabulary and the runtime of agents that answer questions from a company's data, and show the proof.
//
// An [Agent] answers a [Turn]. On the way it tells [Event]s, such as the query that ran; at the end it gives an [Answer]
// with text, rows, queries and sources:
//
//	        Turn                                   Event, Event, ... Completed{Answer}
//	user ─────────▶ Agent.Run ──────────────────────────────────────────────▶ listener
//	                  │ one goroutine                  ▲ the caller's goroutine
//	                  ▼                                │
//	        Graph:  Start ▶ select ▶ write ▶ execute ▶ End
//	                           ▲        │
//	                           └────────┘ a route, by the state
//
// An agent is a function ([AgentFunc]), or a [Graph] of steps on a state of your own ([NewAgent]). Every node is a function
// from a state to the next. [Graph.Route] chooses what comes next, [FanOut] does several things at the same time and merges
// their results, and [Graph.Compile] refuses what could not work. A panic in a node is an error that names the node, the first
// failure cancels what runs beside it, and nothing runs on when a run is over.
//
// [Emit] tells a listener what happens, from anywhere in a run. [Ask] waits for an answer and nothing else. [AsTool] makes an
// agent a [Tool] of another, and a [Registry] calls the tools that a model asks for. A Router ([NewRouter]) hands a turn to one of several agents.
//
// # Plans
//
// A TODO agent ([todoagent.New]) makes a plan of each request, a [TodoList] of tasks that the tools of a Registry do, and does one after the other. The
// user sees the plan, is asked where a task needs it, and can go on, skip, change and do again what he likes. What tasks hand on to each
// other, and to later requests, is a [Finding]: rows ([RowsRef]), queries ([QueryMetadata]), artifacts, entities. [todoagent.Entries] shows what was done, and
// [usermemory.Memory] is what is remembered of a user across conversations.
//
// # Conversations
//
// [Durable] makes an agent whose conversations are kept in a [store.Store], under the Thread of their turns. The agent is told what was
// said before ([Memory]); it can ask its user something in the middle of its work ([Interrupt]); and a run that stops, because it asked,
// failed or its process died, goes on where it was: what models, tools and other calls returned is recorded ([DurableModel], [Step], [StepOnce]) and
// not done again. [WithBudget] limits what a run may spend. What to use for what:
//
//	a call that may be made again        Memo
//	one that must not                    Once
//	a model                              Recorded
//	a tool                               a Registry calls it by Memo or Once, as its Repeat says
//	rows and documents                   Keep
//	what an agent notes for later turns  Remember, or the state of its graph
//	a piece of work with an identity     Scope
//	the time                             Now
//
// For those who show conversations there are [Inspect], [History], [Messages], [Fork] and [Resolve].
package qed
