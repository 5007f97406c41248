// Package analyst has an agent that explores one table of a database, draws charts,
// checks its own findings, and writes a report on request.
//
//	a, err := analyst.New(model, analyst.Data{DB: db, Policy: policy, Dialect: sqlite.Dialect{}}, nil)
//	answer, err := qed.Ask(ctx, a, qed.Turn{Thread: "1", Text: "Do men get admitted more often?"})
//	found, err := analyst.ExplorationOf(answer)
//	report, err := a.Report(ctx, found)
//
// An exploration is the tool loop of package toolagent with four tools:
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
// Every statement goes through a guard that allows the one table. Rows, names and
// the description of the data are untrusted: prompts mark them as data. The model's
// provider receives the question, the schema, the sample and the results of the
// tools.
//
// # Sessions
//
// A session is a thread of [qed.Durable]: follow-up questions have the same
// [qed.Turn.Thread]. By default it is kept in memory. With [Options.Store] it
// survives a restart, and an exploration that was killed is resumed.
//
// # Requests
//
// The requests have the names of package toolagent, and "report".
package analyst

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"iter"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/qedkit/qed"
	"github.com/qedkit/qed/dialect"
	"github.com/qedkit/qed/internal/asking"
	"github.com/qedkit/qed/internal/option"
	"github.com/qedkit/qed/internal/usertext"
	"github.com/qedkit/qed/llm"
	"github.com/qedkit/qed/secureview"
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
}

// Options are the options of [New]. Nil and zero fields mean the defaults. A
// negative number is an error.
type Options struct {
	MaxSteps int           // of an exploration; 0 means 15
	Timeout  time.Duration // of an exploration; 0 means 5 minutes
	MaxRows  int           // of a query; 0 means 1000

	// MaxSourceRows is how many rows validateAnalysis reads at most to draw its
	// sample. 0 means 5,000,000.
	MaxSourceRows int

	// SessionsPerUser is how many explorations of a user may run at the same time.
	// 0 means 3. A further one fails with [ErrTooManySessions].
	SessionsPerUser int

	// CheapModel is asked in steps that follow a profile alone. Nil means the model.
	CheapModel llm.Model

	llm.Settings

	// Store saves the sessions. Nil means a store in memory that forgets a session
	// after IdleTimeout.
	Store   store.Store
	Durable *qed.DurableOptions

	// IdleTimeout is how long a session in memory lives without a turn. 0 means 30
	// minutes. It must be 0 with a Store, which decides that itself.
	IdleTimeout time.Duration

	// Texts replaces texts that users see, by language. English and German are built
	// in.
	Texts map[string]Texts
}

// ErrTooManySessions matches the error for an exploration of a user who has as many
// running as [Options.SessionsPerUser] allows.
var ErrTooManySessions = errors.New("analyst: too many explorations of this user are running: wait until one has ended")

const (
	defaultTable = "t_parsed"
	sampleRows   = 10
)

func (o *Options) withDefaults() (Options, error) {
	var v Options
	if o != nil {
		v = *o
	}
	if v.Store != nil && v.IdleTimeout != 0 {
		return v, errors.New("analyst: Options.IdleTimeout is for sessions in memory: set it in the Store instead")
	}
	return v, cmp.Or(
		option.Default("analyst: Options.MaxSteps", &v.MaxSteps, 15),
		option.Default("analyst: Options.Timeout", &v.Timeout, 5*time.Minute),
		option.Default("analyst: Options.MaxRows", &v.MaxRows, 1000),
		option.Default("analyst: Options.MaxSourceRows", &v.MaxSourceRows, 5_000_000),
		option.Default("analyst: Options.SessionsPerUser", &v.SessionsPerUser, 3),
		option.Default("analyst: Options.IdleTimeout", &v.IdleTimeout, 30*time.Minute),
	)
}

// An Analyst explores a table. It is a [qed.Agent] and safe for concurrent use.
type Analyst struct {
	opt    Options
	data   *data
	model  *asking.Model
	llm    llm.Model
	agent  qed.Agent
	text   usertext.Table[Texts]
	mu     sync.Mutex
	active map[string]int // explorations that run, by user

	memory *store.InMemory      // nil with Options.Store
	used   map[string]time.Time // when sessions in memory ended a turn
}

// New returns an analyst for a table.
//
// A turn ends with an error that matches [ErrTooManySessions], with those of
// package toolagent, or with that of the database if the table cannot be described.
func New(model llm.Model, d Data, opt *Options) (*Analyst, error) {
	if model == nil || d.DB == nil || d.Policy == nil || d.Dialect == nil {
		return nil, errors.New("analyst: New needs a model, and Data with DB, Policy and Dialect")
	}
	o, err := opt.withDefaults()
	if err != nil {
		return nil, err
	}
	a := &Analyst{opt: o, llm: model, active: map[string]int{}, text: usertext.New(shippedTexts, o.Texts)}
	if a.data, err = newData(d, o); err != nil {
		return nil, err
	}
	if a.model, err = asking.New("analyst", model, o.Settings, qed.DurableModel); err != nil {
		return nil, err
	}
	st := o.Store
	if st == nil {
		a.memory, a.used = new(store.InMemory), map[string]time.Time{}
		st = a.memory
	}
	a.agent = qed.Durable(qed.AgentFunc(a.explore), st, o.Durable.WithReplyModel(model, o.Settings))
	return a, nil
}

// Run explores the table to answer a turn: see [qed.Agent]. The answer of the turn
// has an artifact for [ExplorationOf].
func (a *Analyst) Run(ctx context.Context, turn qed.Turn) iter.Seq2[qed.Event, error] {
	return func(yield func(qed.Event, error) bool) {
		release, err := a.admit(turn)
		if err != nil {
			yield(qed.Event{Data: qed.Failed{Message: a.text.In(turn.Language).Busy}}, err)
			return
		}
		defer release()
		defer a.expire(context.WithoutCancel(ctx), turn.Thread)
		a.expire(ctx, "")
		for event, err := range a.agent.Run(ctx, turn) {
			if !yield(event, err) {
				return
			}
		}
	}
}

// admit counts an exploration of a user.
func (a *Analyst) admit(turn qed.Turn) (release func(), err error) {
	key := turn.Tenant + "\x00" + turn.User
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.active[key] >= a.opt.SessionsPerUser {
		return nil, ErrTooManySessions
	}
	a.active[key]++
	return func() {
		a.mu.Lock()
		defer a.mu.Unlock()
		if a.active[key]--; a.active[key] == 0 {
			delete(a.active, key)
		}
	}, nil
}

// expire deletes idle sessions in memory, and notes that a turn of thread has ended.
func (a *Analyst) expire(ctx context.Context, thread string) {
	if a.memory == nil {
		return
	}
	a.mu.Lock()
	defer a.mu.Unlock()
	now := qed.Now(ctx)
	if thread != "" {
		a.used[thread] = now
	}
	for id, at := range a.used {
		if now.Sub(at) > a.opt.IdleTimeout && a.memory.Delete(ctx, id) == nil {
			delete(a.used, id)
		}
	}
}

// EndSession deletes what is kept of a session in memory. It does nothing with
// [Options.Store], whose sessions the host deletes.
func (a *Analyst) EndSession(ctx context.Context, thread string) error {
	if a.memory == nil {
		return nil
	}
	a.mu.Lock()
	defer a.mu.Unlock()
	delete(a.used, thread)
	return a.memory.Delete(ctx, thread)
}

// explore answers a turn.
func (a *Analyst) explore(ctx context.Context, turn qed.Turn) (qed.Answer, error) {
	began := qed.TurnTime(ctx)
	if strings.TrimSpace(turn.Text) == "" {
		return qed.Answer{}, fmt.Errorf("analyst: %w", qed.ErrEmptyTurn)
	}
	facts, err := qed.Step(ctx, "describe", nil, a.data.describe)
	if err != nil {
		return qed.Answer{}, err
	}
	system, err := a.model.Render("context", contextPrompt, a.data.prompt(facts))
	if err != nil {
		return qed.Answer{}, err
	}
	s, err := a.newSession(ctx)
	if err != nil {
		return qed.Answer{}, err
	}
	loop, err := toolagent.New(a.llm, qed.NewRegistry(nil, s.tools()...), &toolagent.Options{
		Instructions: system,
		Stop:         []toolagent.Stop{toolagent.MaxSteps(a.opt.MaxSteps), toolagent.Deadline(a.opt.Timeout)},
		BeforeStep:   a.chooseModel,
		AfterStep:    s.collect,
		Settings:     a.opt.Settings,
	})
	if err != nil {
		return qed.Answer{}, err
	}
	turn.Thread, turn.Replies = "", nil
	answer, err := qed.Ask(ctx, loop, turn)
	if err != nil {
		return answer, err
	}
	return answer, s.finish(ctx, turn.Text, began, &answer)
}

// chooseModel has the cheap model read the results of a step that only profiled.
func (a *Analyst) chooseModel(_ context.Context, step *toolagent.StepRequest) error {
	if a.opt.CheapModel == nil || len(step.Results) == 0 {
		return nil
	}
	last := step.Messages[len(step.Messages)-1]
	i := slices.IndexFunc(step.Results, func(r qed.ToolResult) bool { return r.Call.ID == last.ToolCallID })
	if i >= 0 && step.Results[i].Call.Name == profileTool {
		step.Model = a.opt.CheapModel
	}
	return nil
}
