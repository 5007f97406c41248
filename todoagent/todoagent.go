// Package todoagent answers requests that take several steps. It makes a plan,
// which is a list of tasks that each call one tool, and runs the tasks in their
// order.
//
// Register the tools, make the agent, and ask it:
//
//	agent, err := todoagent.New(model, registry, &todoagent.Options{Store: st})
//	answer, err := qed.Ask(ctx, agent, qed.Turn{Thread: "t", User: "ann", Text: "Which ships are late?"})
//
// The plan outlives the turn. While a task waits for the user's reply, and after
// a task failed, the plan stays open, and the next message may answer the
// question, continue, skip or retry tasks, change them, or ask for something else.
//
// Package [sqlagent] and package [searchagent] answer one question with one query;
// use them as tools of a plan with [github.com/qedkit/qed/tools.FromAgent].
//
// [searchagent]: https://pkg.go.dev/github.com/qedkit/qed/searchagent
// [sqlagent]: https://pkg.go.dev/github.com/qedkit/qed/sqlagent
package todoagent

import (
	"cmp"
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"io/fs"
	"math"
	"strings"

	"github.com/qedkit/qed"
	"github.com/qedkit/qed/internal/modelcall"
	"github.com/qedkit/qed/internal/promptset"
	"github.com/qedkit/qed/llm"
	"github.com/qedkit/qed/question"
	"github.com/qedkit/qed/store"
	"github.com/qedkit/qed/store/usermemory"
)

// Options are the limits and texts of an agent. Nil and zero fields mean the
// defaults.
type Options struct {
	// Store saves the conversations, as [qed.Durable] does. Nil means that nothing
	// is saved: every turn is independent, and no turn can be interrupted.
	Store store.Store

	// Durable configures how conversations are saved. If its ParseReplies is nil,
	// the agent's model reads replies. Without a Store, Durable must be nil.
	Durable *qed.DurableOptions

	// User remembers past turns and entities of a user across conversations. It
	// is used for turns that have a User. Nil means none.
	User *usermemory.Memory

	// ApprovePlan interrupts the run before any task of a plan runs, and again
	// if a model changes the plan, until the user approves it. The Draft of the
	// question is the [qed.TodoList], and so is an edited draft. A rejected plan
	// is dropped.
	ApprovePlan bool

	// Settings are how the agent calls its model.
	llm.Settings

	// Prompts has files that replace those of the same name in the folder prompts,
	// such as plan_todos.tmpl. Begin with a copy. Everything that a user, a model or a tool
	// wrote must go through the function quote, or the model could take it for
	// instructions. Nil means the agent's own.
	Prompts fs.FS
}

// The limits that are not options.
const (
	maxTodos   = 15 // tasks in a plan
	maxReplans = 2  // how often a plan that cannot be used goes back to the model before the user is asked
	shortTerm  = 10 // the last memory entries, and the last queries, in prompts
	recalled   = 3  // older turns of the user in prompts
)

// New returns an agent that makes a plan for each request, a [qed.TodoList], and
// runs its tasks, each of which calls one tool of the registry. Its graph is
//
//	classify_intent -> reiterate_intention -> plan_todos -> approve_plan
//	       |                                                      |
//	       |                                                      v
//	       +-- a reply, or "continue" ----------------> execute_next_todo <--+
//	                                                              |          |
//	                                                              v          |
//	                                                         save_memory ----+
//	                                                              |          |
//	                                                              v          |
//	                                                  save_query_metadata    |
//	                                           |                |            |
//	                                           v                v            |
//	                                    format_results    ask_clarification -+
//
// The plan is emitted ([qed.Planned]) before any task runs. A task that succeeds
// moves the pointer to the next task; a question or an error ends the turn and
// leaves the plan open. The next message is then read as follows:
//
//   - A reply runs the task that asked again.
//   - "continue" resumes the plan.
//   - "skip", "retry KEY and KEY" and "edit KEY: {..}", one or several lines,
//     change tasks. Without a key, the current task is meant.
//   - The model reads any other message: as a change of the plan, or as a new
//     request, for which a new plan is made.
//
// A plan names only tools that were registered when New was called, with
// arguments that their schemas allow. The result of a tool is data: it goes to
// the tools whose arguments refer to it, and never changes the plan. Parallel
// tasks that do not need each other's results run at the same time. A task
// whose tool is not Idempotent calls the tool at most once, unless the user
// says "retry".
//
// The answer's Text is the text of the tasks whose results no other task uses.
// So the last task of a plan should call a tool whose result has a text, such
// as llm_summary of package tools, or a tool that returns a [finding.Finding]
// with a Text. Its Table is the last one that was found; its Queries, Artifacts
// and Citations are of all tasks. Its Plan has all tasks with their status. The
// error text of a task that failed is in its [qed.TaskFinished].
//
// Every task that ran adds an [Entry] to the thread's memory, and every query a
// [finding.QueryMetadata], so a later request can be about earlier results: see
// [NewRetrievalTool]. Rows are saved separately from the state
// ([finding.RowsRef]).
//
// A plan continues in a later turn only if the turns have a Thread and opt has
// a Store. A turn without a text is an error that matches [qed.ErrEmptyTurn].
//
// The model requests have these names ([llm.Request.Name]), for scripted models,
// traces, and [llm.ByName], with which a cheaper model answers some of them. The
// replies are JSON:
//
//	classify_intent      {"intent": "continue", "changes": [{"key": "run", "action": "skip"}], "reason": "why"}
//	reiterate_intention  {"question": "the request, clear in itself"}
//	plan_todos           {"tasks": [{"key": "run", "description": "..", "tool": "sql_executor",
//	                       "arguments": "{\"query\": {\"$result\": \"build\"}}",
//	                       "after": [], "parallel": false, "can_clarify": true}],
//	                      "retrieval": "aggregation",
//	                      "query_mode": "create_new", "reason": "why these"}
//
// The first request is made only if a plan is open or an earlier query is
// remembered. Its intent is new_request, modification, continue, continuation or
// abort. A reply to an open question whose meaning is not certain is read with
// the request "read_reply" ([question.Parser]).
func New(model llm.Model, tools *qed.Registry, opt *Options) (qed.Agent, error) {
	if model == nil || tools == nil {
		return nil, errors.New("todoagent: New needs a model and tools")
	}
	if err := tools.Err(); err != nil {
		return nil, err
	}
	opt = cmp.Or(opt, &Options{})
	a := &agent{}
	if err := a.configure(model, tools, *opt); err != nil {
		return nil, err
	}
	a.shown = a.shownTools()
	runner, err := a.graph()
	if err != nil {
		return nil, err
	}
	a.inner = qed.NewAgent(runner, a.begin, a.answer, &qed.AgentOptions[state]{RestartOnReply: true})
	if opt.Store != nil {
		a.stored = qed.Durable(a.inner, opt.Store, &a.durable)
	}
	return qed.AgentFunc(a.run), nil
}

// agent does not change after New.
type agent struct {
	model     *modelcall.Model
	parse     func(context.Context, []question.Question, string) (question.Parsed, error)
	opt       Options // with the defaults
	prompts   promptset.Set
	tools     *qed.Registry
	planTools map[string]*planTool // by name
	names     []string             // the names of the tools in the registry's order
	shown     []knownTool          // the tools in that order, for prompts
	inner     qed.Agent
	stored    qed.Agent // inner with the Store; nil without one
	durable   qed.DurableOptions
}

// configure sets the fields from the options, and returns all that is wrong with
// them.
func (a *agent) configure(model llm.Model, tools *qed.Registry, opt Options) error {
	var problems []error
	if opt.Store == nil && opt.Durable != nil {
		problems = append(problems, errors.New("todoagent: Options.Durable needs Options.Store"))
	}
	if opt.User != nil && opt.User.Store == nil {
		problems = append(problems, errors.New("todoagent: Options.User has no Store"))
	}
	if len(tools.Names()) == 0 {
		problems = append(problems, errors.New("todoagent: the registry has no tools"))
	}
	prompts, err := promptset.Load("todoagent: Options.Prompts", promptFiles, opt.Prompts, map[string]any{
		"classify_intent": classifyData{}, "reiterate_intention": rewriteData{}, "plan_todos": planData{},
	})
	problems = append(problems, err)
	a.planTools, a.names = map[string]*planTool{}, tools.Names()
	for _, name := range a.names {
		tool, err := tools.Lookup(name)
		if err == nil {
			a.planTools[name], err = newPlanTool(tool)
		}
		if err != nil {
			problems = append(problems, fmt.Errorf("todoagent: tool %q: its input schema: %w", name, err))
		}
	}
	a.opt, a.prompts, a.tools = opt, prompts, tools
	if a.model, err = modelcall.New("todoagent", model, opt.Settings, qed.DurableModel); err != nil {
		return errors.Join(append(problems, err)...)
	}
	a.model.MaxHistoryMessages = math.MaxInt // the agent's Memory limits it
	a.parse = question.Parser(qed.DurableModel(model), opt.Settings)
	if opt.Durable != nil {
		a.durable = *opt.Durable
	}
	a.durable.HandlesAbort = true
	if a.durable.ParseReplies == nil {
		a.durable.ParseReplies = a.parseReplies
	}
	return errors.Join(problems...)
}

// graph returns the graph of a turn. Each node is in the file named after it.
func (a *agent) graph() (*qed.Runner[state], error) {
	g := qed.NewGraph[state]("todo")

	g.Node("classify_intent", a.classify, nil)
	g.Node("reiterate_intention", a.rewrite, nil)
	g.Node("plan_todos", a.plan, nil)
	g.Node("approve_plan", a.approve, nil)
	g.Node("execute_next_todo", a.execute, nil)
	g.Node("save_memory", a.save, nil)
	g.Node("save_query_metadata", a.saveQueries, nil)
	g.Node("ask_clarification", a.ask, nil)
	g.Node("format_results", a.format, nil)

	g.Edge(qed.Start, "classify_intent")
	g.Route("classify_intent", afterClassifying,
		"reiterate_intention", "plan_todos", "approve_plan", "execute_next_todo", "format_results")
	g.Edge("reiterate_intention", "plan_todos")
	g.Route("plan_todos", afterPlanning, "approve_plan", "execute_next_todo", "format_results")
	g.Route("approve_plan", afterPlanning, "execute_next_todo", "format_results")
	g.Edge("execute_next_todo", "save_memory")
	g.Route("save_memory", afterSaving, "execute_next_todo", "save_query_metadata")
	g.Route("save_query_metadata", afterSavingQueries, "ask_clarification", "format_results")
	g.Edge("ask_clarification", "execute_next_todo")
	g.Edge("format_results", qed.End)

	return g.Compile(&qed.CompileOptions{MaxSteps: 20 + 2*maxTodos, WrapUp: "format_results"})
}

// aloneKey marks the context of a turn of which nothing is saved.
type aloneKey struct{}

// memoryKey has the suffix of the memory's name in the context of an agent that
// is a task of another agent.
type memoryKey struct{}

// noThread is why a turn of which nothing is saved cannot be interrupted.
const noThread = "the agent needs a Store, and the turn a Thread"

// run answers a turn: within the durable run around it, with the Store, or else
// in memory, so that tasks find the results of others.
func (a *agent) run(ctx context.Context, turn qed.Turn) (qed.Answer, error) {
	run := qed.Info(ctx)
	if run.Durable {
		return a.runWithin(ctx, run, turn)
	}
	if a.stored != nil && turn.Thread != "" {
		return qed.Ask(ctx, a.stored, turn)
	}
	return a.runAlone(ctx, turn)
}

// runWithin answers a turn as a part of the durable run around it.
func (a *agent) runWithin(ctx context.Context, run qed.RunInfo, turn qed.Turn) (qed.Answer, error) {
	if run.Namespace != "" {
		ctx = context.WithValue(ctx, memoryKey{}, "/"+run.Namespace)
	}
	return qed.Ask(ctx, a.inner, turn)
}

// runAlone answers a turn of which nothing is saved.
func (a *agent) runAlone(ctx context.Context, turn qed.Turn) (qed.Answer, error) {
	if strings.TrimSpace(turn.Text) == "" {
		return qed.Answer{}, qed.ErrEmptyTurn
	}
	if a.opt.ApprovePlan {
		return qed.Answer{}, fmt.Errorf("%w: Options.ApprovePlan: %s", qed.ErrCannotInterrupt, noThread)
	}
	turn.Thread = rand.Text()
	durable := a.durable
	durable.CannotInterrupt = noThread
	ctx = context.WithValue(ctx, aloneKey{}, true)
	answer, err := qed.Ask(ctx, qed.Durable(a.inner, &store.InMemory{}, &durable), turn)
	answer.Saved = false
	for i := range answer.Queries {
		answer.Queries[i].Handle = ""
	}
	return answer, err
}
