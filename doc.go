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
// agent a [Tool] of another, and a [Registry] calls the tools that a model asks for.
package qed
