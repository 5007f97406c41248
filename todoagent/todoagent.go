package todoagent

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/qedkit/qed"
	"github.com/qedkit/qed/internal/asking"
	"github.com/qedkit/qed/llm"
	"github.com/qedkit/qed/store"
	"github.com/qedkit/qed/usermemory"
)

// Options are limits and texts of a TODO agent. Nil and zero fields mean the defaults.
type Options struct {
	// Store keeps the conversations, as [Durable] does. Nil means that nothing is kept: then every turn stands alone, and nobody can be asked.
	Store store.Store

	// Durable says how conversations are kept; its Replies, where nil, are [ParseReplies] with the agent's model. Without a Store it
	// must be nil.
	Durable *qed.DurableOptions

	// User is what is remembered of a user across conversations. Nil means nothing. It is used for turns that name a User.
	User *usermemory.Memory

	// ApprovePlan has every plan wait for the user's approval before anything of it runs, and again where a model changes it. The Draft of the
	// question is the [TodoList]; so is what an edit makes of it. A rejected plan is dropped.
	ApprovePlan bool

	// MaxTodos is how many tasks a plan may have. 0 means 15.
	MaxTodos int

	// MaxReplans is how often a plan that cannot be used goes back to the model, with the reason, before the user is asked. 0 means 2; a
	// negative number means never. What is no plan at all is mended up to twice each time ([llm.Object]).
	MaxReplans int

	// MaxMessage limits a user's message, in bytes. 0 means 32 KiB.
	MaxMessage int

	// ShortTerm is how many of the last memory entries, and of the last queries, prompts have. 0 means 10.
	ShortTerm int

	// Recall is how many older turns that are like the question prompts have, from User. 0 means 3.
	Recall int

	// TimeZone is where the user's days begin. Nil means UTC.
	TimeZone *time.Location

	// Settings are how the agent calls its model.
	llm.Settings

	// Prompts replaces texts sent to the model. Nil means none.
	Prompts *Prompts
}

// New returns an agent that makes a plan of each request, a [TodoList], and does one task at a time, each by one of tools.
// Its graph is
//
//	classify_intent -> reiterate_intention -> plan_todos -> approve_plan -> execute_next_todo -> save_memory -> save_query_metadata -> format_results
//	       |                                                                 ^      |                               |
//	       +-- an answer, or "continue" -------------------------------------+------+                               +-> ask_clarification
//
// The plan is told ([Planned]) before anything runs, and stays open while the user is asked and after a failure. What he says then is read
// first: an answer has the task that asked run again, "continue" has the plan go on, "skip", "retry KEY and KEY" and "edit KEY: {..}", several on a
// line each, change tasks of it, and what else he says the model reads: as a change, or as something new, for which another plan is made. A task
// that succeeds moves the pointer to the next; a question or an error ends the turn.
//
// A plan names only the tools that were registered when the agent was made, with arguments that their schemas allow. What a tool returns is data: it goes to the tools whose
// arguments name it, and never changes the plan. Tasks that are Parallel and do not need each other run side by side.
//
// The answer's Text is what those tasks say whose results no other one is called with, so let a plan end with [NewSummaryTool], or return a [Finding] with a
// Text; its Table is the last that was found, and Queries, Artifacts and Sources are of all tasks. What a task's error says is shown to the user.
//
// Every task that ran leaves a [TodoEntry] in the thread's memory, and every query a [QueryMetadata], so that a later request can be about
// what was found: see [NewRetrievalTool]. Rows are kept beside the state ([RowsRef]).
//
// Turns need a Thread, and opt a Store, for all that goes on across turns. A tool that must not be repeated (Tool.Idempotent) is called once, unless the user
// says "retry". A message that is too long is an error that matches [ErrTooLarge]; one of blanks, or without a thread an empty one, [ErrEmptyTurn].
//
// Its requests have these names ([llm.Request.Name]), for scripted models and traces. What comes back is JSON:
//
//	classify_intent      {"intent": "continue", "changes": [{"key": "run", "action": "skip"}], "reason": "why"}
//	reiterate_intention  {"question": "the request, clear in itself"}
//	plan_todos           {"tasks": [{"key": "run", "description": "..", "tool": "sql_executor", "arguments": "{\"query\": {\"$result\": \"build\"}}",
//	                     "after": [], "parallel": false, "can_clarify": true}], "retrieval": "aggregation", "data_source": "sql",
//	                     "query_mode": "create_new", "reason": "why these"}
//
// The first is only made where a plan is open or an earlier query is remembered; its intent is new_request, modification, continue, continuation or
// abort. What is said to an open question is read with "read_reply" ([ParseReplies]), where it is not beyond doubt.
func New(model llm.Model, tools *qed.Registry, opt *Options) (qed.Agent, error) {
	if model == nil || tools == nil {
		return nil, errors.New("qed: a TODO agent needs a model and tools")
	}
	if opt == nil {
		opt = &Options{}
	}
	a := &agent{}
	if err := a.configure(model, tools, *opt); err != nil {
		return nil, err
	}
	runner, err := a.graph()
	if err != nil {
		return nil, err
	}
	inner := qed.NewAgent(runner, a.begin, a.answer, &qed.AgentOptions[state]{RestartOnReply: true})
	var durable qed.DurableOptions
	if opt.Durable != nil {
		durable = *opt.Durable
	}
	if durable.ParseReplies == nil {
		durable.ParseReplies = a.replies
	}
	durable.HandlesAbort = true
	if opt.Store != nil {
		a.kept = qed.Durable(inner, opt.Store, &durable)
	}
	alone := durable
	alone.NoInterrupt = noThread
	a.inner, a.durable, a.alone = inner, &durable, &alone
	return qed.AgentFunc(a.run), nil
}

// todoAgent does not change once it is made.
type agent struct {
	model   *asking.Model
	parse   func(context.Context, []qed.Question, qed.Turn) (qed.ParsedReplies, error)
	opt     Options // with the defaults
	prompts Prompts
	tools   *qed.Registry
	plans   map[string]*plannable // the tools, for plans
	names   []string              // of them, in the registry's order
	inner   qed.Agent
	kept    qed.Agent // inner with the Store; nil: there is none
	durable *qed.DurableOptions
	alone   *qed.DurableOptions // for turns that are kept in memory only
}

// configure takes the options, and reports all that is wrong with them.
func (a *agent) configure(model llm.Model, tools *qed.Registry, opt Options) error {
	var problems []error
	for _, n := range []struct {
		name     string
		value    *int
		standard int
	}{
		{"MaxTodos", &opt.MaxTodos, 15},
		{"MaxMessage", &opt.MaxMessage, 32 << 10},
		{"ShortTerm", &opt.ShortTerm, 10},
		{"Recall", &opt.Recall, 3},
	} {
		switch {
		case *n.value < 0:
			problems = append(problems, fmt.Errorf("qed: TodoOptions.%s is %d: it cannot be negative", n.name, *n.value))
		case *n.value == 0:
			*n.value = n.standard
		}
	}
	switch {
	case opt.MaxReplans == 0:
		opt.MaxReplans = 2
	case opt.MaxReplans < 0:
		opt.MaxReplans = 0
	}
	if opt.TimeZone == nil {
		opt.TimeZone = time.UTC
	}
	if opt.Store == nil && opt.Durable != nil {
		problems = append(problems, errors.New("qed: TodoOptions.Durable says how conversations are kept, and there is no TodoOptions.Store"))
	}
	if opt.User != nil && opt.User.Store == nil {
		problems = append(problems, errors.New("qed: TodoOptions.User has no Store"))
	}
	if len(tools.Names()) == 0 {
		problems = append(problems, errors.New("qed: a TODO agent needs tools, and the registry has none"))
	}
	prompts, err := opt.Prompts.withDefaults()
	if err != nil {
		problems = append(problems, err)
	}
	a.plans, a.names = map[string]*plannable{}, tools.Names()
	for _, name := range a.names {
		tool, err := tools.Lookup(name)
		if err == nil {
			a.plans[name], err = newPlannable(tool)
		}
		if err != nil {
			problems = append(problems, fmt.Errorf("qed: tool %q: its input: %w", name, err))
		}
	}
	a.opt, a.prompts, a.tools = opt, prompts, tools
	if a.model, err = asking.New("todoagent", model, opt.Settings, qed.DurableModel); err != nil {
		problems = append(problems, err)
	} else {
		a.model.MaxContextTokens, a.model.MaxHistoryMessages = unlimited, unlimited
	}
	a.parse = qed.ParseReplies(model, opt.Settings)
	return errors.Join(problems...)
}

// unlimited leaves the length of the conversation to the agent's Memory.
const unlimited = 1 << 40

// graph is the way of a turn.
func (a *agent) graph() (*qed.Runner[state], error) {
	g := qed.NewGraph[state](graphName)

	g.Node("classify_intent", a.classify, nil)
	g.Node("reiterate_intention", a.reiterate, nil)
	g.Node("plan_todos", a.plan, nil)
	g.Node("approve_plan", a.approve, nil)
	g.Node("execute_next_todo", a.execute, nil)
	g.Node("save_memory", a.save, nil)
	g.Node("save_query_metadata", a.saveQueries, nil)
	g.Node("ask_clarification", a.ask, nil)
	g.Node("format_results", a.format, nil)

	g.Edge(qed.Start, "classify_intent")
	g.Route("classify_intent", afterClassifying, "reiterate_intention", "plan_todos", "approve_plan", "execute_next_todo", "format_results")
	g.Edge("reiterate_intention", "plan_todos")
	g.Route("plan_todos", afterPlanning, "approve_plan", "execute_next_todo", "format_results")
	g.Route("approve_plan", afterPlanning, "execute_next_todo", "format_results")
	g.Edge("execute_next_todo", "save_memory")
	g.Route("save_memory", afterSaving, "execute_next_todo", "save_query_metadata")
	g.Route("save_query_metadata", afterSavingQueries, "ask_clarification", "format_results")
	g.Edge("ask_clarification", "execute_next_todo")
	g.Edge("format_results", qed.End)

	return g.Compile(&qed.CompileOptions{MaxSteps: 20 + 2*a.opt.MaxTodos, WrapUp: "format_results"})
}

// aloneKey marks the context of a turn that nothing is kept of.
type aloneKey struct{}

// memoryKey has, in the context of an agent that is a task of another one, what its memory is called.
type memoryKey struct{}

// run answers a turn: as a part of the run that it belongs to, in the Store, or, where there is none, in memory, so that tasks find
// what others found.
func (a *agent) run(ctx context.Context, turn qed.Turn) (qed.Answer, error) {
	n := len(turn.Text)
	for _, r := range turn.Replies {
		n += len(r.Value)
	}
	if n > a.opt.MaxMessage {
		return qed.Answer{}, fmt.Errorf("%w: the message has %d bytes, and Options.MaxMessage is %d", qed.ErrTooLarge, n, a.opt.MaxMessage)
	}
	switch run := qed.Info(ctx); {
	case run.Durable:
		return a.runWithin(ctx, run, turn)
	case a.kept != nil && turn.Thread != "":
		return qed.Ask(ctx, a.kept, turn)
	}
	if strings.TrimSpace(turn.Text) == "" {
		return qed.Answer{}, qed.ErrEmptyTurn
	}
	if a.opt.ApprovePlan {
		return qed.Answer{}, fmt.Errorf("%w: a plan has to be approved, for which %s", qed.ErrCannotInterrupt, noThread)
	}
	turn.Thread = rand.Text()
	answer, err := qed.Ask(context.WithValue(ctx, aloneKey{}, true), qed.Durable(a.inner, &store.InMemory{}, a.alone), turn)
	answer.Saved = false
	for i := range answer.Queries {
		answer.Queries[i].Handle = ""
	}
	return answer, err
}

// runWithin answers a turn as a part of the durable run around it. That run counts
// what all of its models cost, so the answer has what this part added.
func (a *agent) runWithin(ctx context.Context, run qed.RunInfo, turn qed.Turn) (qed.Answer, error) {
	if run.Namespace != "" {
		ctx = context.WithValue(ctx, memoryKey{}, "/"+run.Namespace)
	}
	answer, err := qed.Ask(ctx, a.inner, turn)
	answer.Usage = qed.Info(ctx).Usage
	answer.Usage.InputTokens -= run.Usage.InputTokens
	answer.Usage.OutputTokens -= run.Usage.OutputTokens
	answer.Usage.Calls -= run.Usage.Calls
	return answer, err
}
