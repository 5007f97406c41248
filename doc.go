// Package qed builds agents that answer questions from a company's data and show
// the proof: the query that ran, the rows that came back, the passages that were
// read.
//
// An agent answers one turn of a conversation. Ask it, or range over its events:
//
//	agent, err := sqlagent.Open(ctx, model, db, policy, sqlite.Dialect{}, nil)
//	if err != nil {
//		log.Fatal(err)
//	}
//	answer, err := qed.Ask(ctx, agent, qed.Turn{Text: "How many crews are active?"})
//	if err != nil {
//		log.Fatal(err)
//	}
//	fmt.Println(answer.Text)
//	for _, q := range answer.Queries {
//		fmt.Println(q.Executed, q.Rows)
//	}
//
// # Agents
//
// An [Agent] gets a [Turn] and returns events, the last of which has an [Answer].
// There are agents for SQL ([sqlagent]), Elasticsearch ([searchagent]), documents
// ([rag], [research]), tables and files ([analyst]), tools that a model calls
// ([toolagent]) and plans ([todoagent]). Package [router] gives a turn to one of
// several agents. A function is an agent too: [AgentFunc].
//
// # Graphs
//
// A [Graph] is an agent made of steps on a state. [Graph.Route] chooses the next
// step, [FanOut] runs steps at the same time, and [Graph.Compile] checks it all
// before the first run. [NewAgent] makes an agent of it.
//
// # Events
//
// [Emit] sends an [Event] to the reader of a run, from any function in it: a query
// that was written, a tool that was called, a piece of the answer's text.
//
// # Tools
//
// A [Tool] is a function that a model can call: see [NewTool]. A [Registry] checks
// the arguments, asks for approval and calls it. Package [toolagent] has the loop in
// which a model calls tools. Package [finding] has the result of a tool in the form
// that agents understand: text, rows, queries, artifacts, citations, entities.
// Package [tools] has ready-made tools, and makes a tool of an agent.
//
// # Questions
//
// [Interrupt] asks the user something in the middle of a run. The turn ends with
// the question, and a later turn with a reply resumes the run there. Package
// [question] has both, for programs that show questions and collect replies.
//
// # Durable runs
//
// [Durable] saves the conversations of an agent in a store. A run that stops,
// because it was interrupted, failed, or its process died, is resumed where it
// stopped: calls that returned are not made again. The agents of this module have
// an option Store: use it for them, and Durable for agents of your own. To record
// a call, use
//
//   - [Step] if it may be repeated, and [StepOnce] if it must not;
//   - [DurableModel] for a model;
//   - a [Registry] for tools, which follows [Tool].Idempotent;
//   - [Save] for rows and documents, and [Remember] for notes to later turns;
//   - [Now] for the time;
//   - [WithNamespace] for work that must be found again under its own name.
//
// [Memory] says how much of the conversation the agent gets. Package [budget] limits
// what a run may spend. [Inspect], [History], [Messages], [Fork] and [Settle] are
// for programs that show and repair conversations.
//
// # Plans
//
// A [TodoList] is a plan as data: tasks that call tools, with their status and
// results. Package [todoagent] makes and runs plans. It is written with the exported
// functions of this package, such as [RunTask], and so can be a planner of your own.
//
// # Everyday tasks
//
//   - [log every SQL], or any other step of a run
//   - [add a tenant's filter to SQL] on a server, and [to a search]
//   - [mask a column]
//   - [change a prompt]; the [default templates] are in the module
//   - [have a user approve a call of a tool]
//   - [keep documents in PostgreSQL] with pgvector
//   - [use a local model] of Ollama
//   - [compute the price of an answer]
//   - [test without a model]
//
// [budget]: https://pkg.go.dev/github.com/qedkit/qed/budget
// [finding]: https://pkg.go.dev/github.com/qedkit/qed/finding
// [question]: https://pkg.go.dev/github.com/qedkit/qed/question
// [router]: https://pkg.go.dev/github.com/qedkit/qed/router
// [todoagent]: https://pkg.go.dev/github.com/qedkit/qed/todoagent
// [toolagent]: https://pkg.go.dev/github.com/qedkit/qed/toolagent
// [tools]: https://pkg.go.dev/github.com/qedkit/qed/tools
// [sqlagent]: https://pkg.go.dev/github.com/qedkit/qed/sqlagent
// [searchagent]: https://pkg.go.dev/github.com/qedkit/qed/searchagent
// [rag]: https://pkg.go.dev/github.com/qedkit/qed/rag
// [research]: https://pkg.go.dev/github.com/qedkit/qed/research
// [analyst]: https://pkg.go.dev/github.com/qedkit/qed/analyst
// [log every SQL]: https://pkg.go.dev/github.com/qedkit/qed/sqlagent#example-Open-LogEverySQL
// [add a tenant's filter to SQL]: https://pkg.go.dev/github.com/qedkit/qed/sqldb/postgresdb#example-package
// [to a search]: https://pkg.go.dev/github.com/qedkit/qed/esquery#example-Validator.Filtered
// [mask a column]: https://pkg.go.dev/github.com/qedkit/qed/sqlagent#example-Open-MaskColumn
// [change a prompt]: https://pkg.go.dev/github.com/qedkit/qed/sqlagent#example-Options-Prompts
// [have a user approve a call of a tool]: https://pkg.go.dev/github.com/qedkit/qed#example-Tool-NeedsApproval
// [keep documents in PostgreSQL]: https://pkg.go.dev/github.com/qedkit/qed/rag/pgindex#example-package
// [use a local model]: https://pkg.go.dev/github.com/qedkit/qed/llm/openai#example-New-Ollama
// [compute the price of an answer]: https://pkg.go.dev/github.com/qedkit/qed#example-Answer-Price
// [test without a model]: https://pkg.go.dev/github.com/qedkit/qed/llm/llmtest#example-package
// [default templates]: https://github.com/qedkit/qed/tree/main/sqlagent/prompts
package qed
