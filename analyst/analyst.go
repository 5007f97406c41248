// Package analyst has an agent that explores one table of a database, draws charts,
// checks its own findings, and writes a report on request.
//
//	a, err := analyst.New(model, analyst.Data{DB: db, Policy: policy, Dialect: sqlite.Dialect{}}, nil)
//	answer, err := qed.Ask(ctx, a, qed.Turn{Thread: "1", Text: "Do men get admitted more often?"})
//	found, err := analyst.ExplorationOf(answer)
//	report, err := a.Report(ctx, found)
//
// An exploration is the tool loop of package [toolagent] with four tools:
//
//	executeSQLQuery      a SELECT on the table
//	createVisualization  a Vega-Lite spec of the model with the rows of a query
//	profileData          figures of columns over all rows
//	validateAnalysis     checks of a finding with the rows behind its query
//
// It ends with a short summary. A report is another request, which is only made
// when [Analyst.Report] is called. Its numbers are looked up in the rows of the
// queries.
//
// Every statement goes through a guard that allows the one table. The database of
// [Data] limits the time of a statement, to 30 seconds by default. Rows, names and
// the description of the data are untrusted: prompts mark them as data. The model's
// provider receives the question, the schema, the first rows and the results of the
// tools.
//
// # Sessions
//
// A session is a thread of [qed.Durable]: follow-up questions have the same
// [qed.Turn.Thread]. By default it is kept in memory until it was idle for
// [Options.IdleTimeout]. With [Options.Store] it survives a restart, and an
// exploration that a crash interrupted is resumed. With [Options.Load] each session has
// its own data, such as a file that a user uploaded. [Analyst.EndSession] deletes all
// of it.
//
// # Events
//
// The events are those of package [toolagent], and before each step a
// [qed.CustomEvent] of the kind "step_start" with {"step", "of", "tokens"}: the
// number of the step, the largest number, and the tokens so far. The records of
// [Options.Logger] and [Analyst.Metrics] come from these events.
//
// # Requests
//
// The requests have the names of package [toolagent], and "report". With [llm.ByName]
// a cheaper model answers some of them.
//
// [toolagent]: https://pkg.go.dev/github.com/qedkit/qed/toolagent
package analyst

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"iter"
	"log/slog"
	"strings"
	"sync"
	"time"

	"github.com/qedkit/qed"
	"github.com/qedkit/qed/budget"
	"github.com/qedkit/qed/internal/modelcall"
	"github.com/qedkit/qed/internal/option"
	"github.com/qedkit/qed/llm"
	"github.com/qedkit/qed/secureview"
	"github.com/qedkit/qed/secureview/dialect"
	"github.com/qedkit/qed/sqldb"
	"github.com/qedkit/qed/store"
	"github.com/qedkit/qed/toolagent"
)

// Data is the table to explore.
type Data struct {
	DB      *sqldb.DB
	Policy  *secureview.Policy // must allow Table
	Dialect dialect.Dialect    // of DB
	Table   string             // empty means "t_parsed"

	// Description is what the user says about the data. It is untrusted.
	Description string

	// Notes are what is to be known about the data, such as what was changed or could not be
	// decided when a file was read. They are untrusted, stand in the prompt and in the
	// [Overview].
	Notes []string

	// Experiment is the column whose values were assigned at random, as the variant of
	// an A/B test. Only differences between its groups may be called an effect. Empty
	// means that no finding may name a cause.
	Experiment string

	// Close is called when a session with data of [Options.Load] ends, to delete the
	// data. Nil does nothing.
	Close func() error
}

// Options are the options of [New]. Nil and zero fields mean the defaults. A
// negative number is an error.
type Options struct {
	MaxSteps int // of a turn: requests to the model, with the tool calls of each; 0 means 15
	MaxRows  int // of a query; 0 means 1000

	// Timeout limits a turn, the time that Load takes, [Analyst.Describe],
	// [Analyst.Rerun] and [Analyst.Report]. 0 means 5 minutes.
	Timeout time.Duration

	// SessionsPerUser is how many explorations of a user may run at the same time, and
	// calls of [Analyst.Describe] and [Analyst.Rerun] with them. 0 means 3. A further
	// one fails with [ErrTooManySessions].
	SessionsPerUser int

	llm.Settings

	// Load returns the data of a session. It is called in the first turn of a session,
	// and again in the first turn after a restart or after IdleTimeout. It must return
	// the same data each time. Its context ends when it returns. Nil means that all
	// sessions have the Data of [New], which must be zero otherwise.
	Load func(ctx context.Context, turn qed.Turn) (Data, error)

	// Store saves the sessions. Nil means that they are in memory.
	Store   store.Store
	Durable *qed.DurableOptions

	// IdleTimeout is the time after the last turn of a session when its data is
	// closed. 0 means 30 minutes. A conversation in memory is then deleted; a Store
	// keeps it.
	IdleTimeout time.Duration

	// Logger gets the events step_start, tool_call, tool_result, completion and error,
	// with the session, step, tool, tokens, duration and kind of error. Texts and rows
	// are not logged. Nil means that nothing is logged.
	Logger *slog.Logger
}

// ErrTooManySessions matches the error for an exploration of a user who has as many
// running as [Options.SessionsPerUser] allows. It matches [qed.ErrBusy] too.
var ErrTooManySessions = fmt.Errorf("analyst: too many explorations of this user are running: wait until one has ended: %w", qed.ErrBusy)

const (
	defaultTable = "t_parsed"
	sampleRows   = 10

	// maxSourceRows is how many rows validateAnalysis reads at most to draw its sample.
	maxSourceRows = 5_000_000
)

func (o *Options) withDefaults() (Options, error) {
	v := option.Of(o)
	v.Logger = cmp.Or(v.Logger, slog.New(slog.DiscardHandler))
	return v, cmp.Or(
		option.Default("analyst: Options.MaxSteps", &v.MaxSteps, 15),
		option.Default("analyst: Options.Timeout", &v.Timeout, 5*time.Minute),
		option.Default("analyst: Options.MaxRows", &v.MaxRows, 1000),
		option.Default("analyst: Options.SessionsPerUser", &v.SessionsPerUser, 3),
		option.Default("analyst: Options.IdleTimeout", &v.IdleTimeout, 30*time.Minute),
	)
}

// An Analyst explores a table. It is a [qed.Agent] and safe for concurrent use.
type Analyst struct {
	opt    Options
	shared *data // nil with Options.Load
	model  *modelcall.Model
	llm    llm.Model
	agent  qed.Agent
	store  store.Store

	mu      sync.Mutex
	active  map[string]int   // explorations that run, by user
	using   map[string]int   // turns that run, by thread
	held    map[string]*held // sessions of this process, by thread
	metrics Metrics
}

// New returns an analyst for a table.
//
// A turn ends with an error that matches [ErrTooManySessions], with those of
// package toolagent, of Options.Load, or with that of the database if the table
// cannot be described.
func New(model llm.Model, d Data, opt *Options) (*Analyst, error) {
	o, err := opt.withDefaults()
	if err != nil {
		return nil, err
	}
	a := &Analyst{
		opt: o, llm: model, store: o.Store, active: map[string]int{}, using: map[string]int{}, held: map[string]*held{},
		metrics: Metrics{Steps: map[int]int{}, ToolCalls: map[string]int{}, ToolErrors: map[string]int{}},
	}
	switch {
	case model == nil:
		return nil, errors.New("analyst: New needs a model")
	case o.Load == nil:
		if a.shared, err = newData(d, o); err != nil {
			return nil, err
		}
	case d.DB != nil:
		return nil, errors.New("analyst: New needs either Data or Options.Load")
	}
	if a.model, err = modelcall.New("analyst", model, o.Settings, qed.DurableModel); err != nil {
		return nil, err
	}
	if a.store == nil {
		a.store = new(store.InMemory)
	}
	a.agent = qed.Durable(qed.AgentFunc(a.explore), a.store, o.Durable.WithReplyModel(model, o.Settings))
	return a, nil
}

// Run explores the table to answer a turn: see [qed.Agent]. The answer of the turn
// has an artifact for [ExplorationOf].
func (a *Analyst) Run(ctx context.Context, turn qed.Turn) iter.Seq2[qed.Event, error] {
	return func(yield func(qed.Event, error) bool) {
		release, err := a.admit(turn)
		if err != nil {
			yield(qed.Event{Data: qed.Failed{Message: textTable.In(ctx, turn.Language).Busy, Code: "busy"}}, err)
			return
		}
		defer release()
		o := a.observe(turn)
		for event, err := range a.agent.Run(ctx, turn) {
			o.see(ctx, event)
			if !yield(event, err) {
				return
			}
		}
	}
}

// admit counts an exploration of a user.
func (a *Analyst) admit(turn qed.Turn) (release func(), err error) {
	key := owner(turn)
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.active[key] >= a.opt.SessionsPerUser {
		return nil, ErrTooManySessions
	}
	a.active[key]++
	a.using[turn.Thread]++
	return func() {
		a.mu.Lock()
		defer a.mu.Unlock()
		if a.active[key]--; a.active[key] == 0 {
			delete(a.active, key)
		}
		if a.using[turn.Thread]--; a.using[turn.Thread] == 0 {
			delete(a.using, turn.Thread)
			a.rest(turn.Thread)
		}
	}, nil
}

func owner(turn qed.Turn) string { return turn.Tenant + "\x00" + turn.User }

// explore answers a turn.
func (a *Analyst) explore(ctx context.Context, turn qed.Turn) (qed.Answer, error) {
	began := qed.TurnTime(ctx)
	if strings.TrimSpace(turn.Text) == "" {
		return qed.Answer{}, fmt.Errorf("analyst: %w", qed.ErrEmptyTurn)
	}
	data, leave, err := a.enter(ctx, turn)
	if err != nil {
		return qed.Answer{}, err
	}
	defer leave()
	facts, err := qed.Step(ctx, "describe", nil, data.describe)
	if err != nil {
		return qed.Answer{}, err
	}
	system, err := a.model.Render("context", contextPrompt, data.prompt(facts))
	if err != nil {
		return qed.Answer{}, err
	}
	e, err := a.newExplorer(ctx, data)
	if err != nil {
		return qed.Answer{}, err
	}
	loop, err := toolagent.New(a.llm, qed.NewRegistry(nil, e.tools()...), &toolagent.Options{
		Instructions: system,
		MaxSteps:     e.maxSteps,
		Limits:       budget.Limits{Time: a.opt.Timeout},
		BeforeStep:   e.beforeStep,
		AfterStep:    e.afterStep,
		Settings:     a.opt.Settings,
	})
	if err != nil {
		return qed.Answer{}, err
	}
	inner := turn
	inner.Thread, inner.Replies = "", nil
	answer, err := qed.Ask(ctx, loop, inner)
	if err != nil {
		return answer, err
	}
	return answer, e.finish(ctx, turn, began, &answer)
}
