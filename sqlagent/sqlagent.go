// Package sqlagent answers questions from a relational database and shows the
// proof: the tables it chose, the join path, the SQL that the model wrote, the
// SQL that ran, every correction with its reason, and the rows.
//
//	agent, err := sqlagent.Open(ctx, model, db, policy, sqlite.Dialect{}, nil)
//	...
//	answer, err := qed.Ask(ctx, agent, qed.Turn{Text: "How many crews are there?"})
//
// A question passes through a [qed.Graph]. Each node is in the file of its name or
// of its subject:
//
//	select_tables -> filter_relationships -> find_paths -> plan_joins
//	  -> generate -> rewrite -> validate -> prove -> estimate -> execute -> answer
//	                    ^           |         |          |          |
//	                    +- correct <--------------------------------+
//
// The model chooses tables and writes SQL. Everything else is computed: package
// [joinpath] finds how the tables join, package [secureview] rewrites or refuses
// what the model wrote, and package [sqldb] runs the rewritten statement. This is
// the only way in which SQL of a model reaches the database.
//
// A statement that is refused or fails is corrected a limited number of times; the
// prompt for a correction contains only what the problem needs. What can be meant in one way
// only is repaired without the model, and is one of the corrections of the answer
// ([qed.Query.Corrections]): a column of the other table of its FROM, a name of several
// tables whose values are equal, columns of a table that is one declared key away, and
// shares of whole numbers.
//
// If a statement finds nothing, code looks for a row of each of its conditions alone, by
// statements of its own through the guard, and names the condition to blame
// ([qed.EmptyResult]). The model corrects the statement once if the data has similar
// values. Otherwise the answer is the reason, without the model, unless the reason is an
// expression that says no more than the statement does.
//
// [NewSource] returns the same database as a source for tools. It checks and runs
// statements in the same way, without a model.
//
// # What the model sees
//
// The following goes to the model's provider: the names of the policy's tables
// and columns, their types and comments, sample rows of the chosen tables
// ([PromptLimits.SampleRows]) and values that the question names ([Options.Values]), both
// without columns that look sensitive ([Options.Columns]), the relationships, the
// verified questions ([Options.Verified]), what is remembered of the user
// ([Options.User]), the conversation ([Options.MaxHistoryMessages]), the statements
// with their problems, and the rows of the result. Columns that the policy does not
// list are never sent. Data in a prompt is quoted, limited and marked as data.
//
// # Joins
//
// The plan of the joins is for the model. The join path of the answer
// ([qed.Query.JoinPath]) has the joins of the statement that ran, each compared with
// the relationships by its columns. A join that is no known relationship is said next
// to the answer; that does not make it wrong. Nothing is said if no relationship is
// known, or if an expression is compared. A statement that departs from the join that
// the user chose ([Options.InterruptForJoins]) goes back to the model once. If the
// model keeps it, the answer is partial and says so.
//
// # Proof
//
// Before a statement runs, package [sqlproof] says which of its joins and aggregates are
// right, from the keys of the tables. A statement with an error, such as a sum over rows
// that a join repeats, goes back to the model once. If the model keeps it, the answer is
// partial and says what repeats. Rows that an inner join loses are counted by one more
// statement, for at most two seconds. What was found is in [qed.Query.Checked] and
// [qed.Query.Proof], and what the statement computes in [qed.Query.Meaning].
//
// # Requests
//
// The requests to the model are named after their nodes ([llm.Request.Name]), for
// scripted models, traces, and [llm.ByName], with which a cheaper model answers some
// of them. The replies are JSON, except for the last:
//
//	select_tables   {"tables": ["employee"], "reason": "optional"}
//	generate        {"sql": "SELECT ...", "reason": "if sql is empty", "periods": [
//	                  {"words": "last month", "from": "2026-02-01", "before": "2026-03-01"}]}
//	correct         the same
//	answer          text
//
// # How many rows
//
// The lowest limit applies: the row limit of the policy, which is part of the
// executed SQL, and that of the database ([github.com/qedkit/qed/sqldb.Options]).
//
// [joinpath]: https://pkg.go.dev/github.com/qedkit/qed/joinpath
// [sqlproof]: https://pkg.go.dev/github.com/qedkit/qed/sqlproof
// [secureview]: https://pkg.go.dev/github.com/qedkit/qed/secureview
// [sqldb]: https://pkg.go.dev/github.com/qedkit/qed/sqldb
package sqlagent

import (
	"context"
	"embed"
	"errors"
	"fmt"
	"sync"

	"github.com/qedkit/qed"
	"github.com/qedkit/qed/internal/drafts"
	"github.com/qedkit/qed/internal/modelcall"
	"github.com/qedkit/qed/internal/promptset"
	"github.com/qedkit/qed/joinpath"
	"github.com/qedkit/qed/llm"
	"github.com/qedkit/qed/secureview"
)

var (
	// ErrNoTables is the error of [New] if no table of the policy can be shown to
	// a model.
	ErrNoTables = errors.New("the policy lists no table that can be shown to a model")

	// ErrMismatch is the error of [New] if the guard does not fit the database: it
	// has another dialect, or its policy lists tables or columns that the schema
	// does not have. These are the problems of a [*refusal.Error], with candidates.
	ErrMismatch = errors.New("the guard does not fit the database")
)

var errNoTable = errors.New("sqlagent: the Database returned neither a table nor an error")

// A Database runs statements of a guard. [github.com/qedkit/qed/sqldb.DB] is one.
// It is used by concurrent turns, with the context of each.
//
// Callers that may see different rows must not share sample rows. If there are such
// callers, set User or Tenant in every turn, or give the Database a method
// PerSession() bool that returns true. The method of DB does so if statements have
// sessions. Without any of these, the sample rows of a table are read once and shared
// by all turns.
//
// If the Database has a method MaxRows() int, as that of DB, the prompts and results
// keep to this limit on rows, and to that of the policy otherwise.
//
// If the Database has a method Zone(context.Context) (string, error), as that of DB,
// the prompts have the calendar of the zone that it returns. It wins over the Zone of
// [qed.Turn]'s Calendar, because the database groups and compares days in its own.
// An empty one changes nothing. Open the database in the zone of its users, with
// the option Zone.
type Database interface {
	Query(ctx context.Context, stmt *secureview.Statement) (*qed.Table, error)
}

// New returns an agent that answers questions from db within what guard allows.
// Use [Open] unless a guard and a schema exist.
//
// schema has the types of the columns and the relationships by which tables join,
// under the names of the guard's policy; tables and columns that the policy does
// not list are ignored. If the guard does not fit the database, the error is
// [ErrMismatch]. A nil opt means the defaults.
//
// With [Options.Store] the agent saves conversations: the model sees the
// earlier messages, and a turn that stopped can be resumed. Without a store,
// pass the earlier messages in [qed.Turn.History]. The agent is safe for
// concurrent use.
//
// The agent spends no more than a budget in the context allows
// ([budget.With]). When the budget is used up, the answer is partial and
// contains what was found.
//
// A turn fails if the model or the database cannot be reached or the context
// ends. Errors of the model match the kinds of package llm, and those of the
// database the kinds of package sqldb. A turn without a text is
// [qed.ErrEmptyTurn]. If the question cannot be answered as it was asked, the
// answer is partial and says why.
func New(
	model llm.Model, db Database, guard *secureview.Guard, schema *joinpath.Schema, opt *Options,
) (qed.Agent, error) {
	if model == nil || db == nil || guard == nil || schema == nil {
		return nil, errors.New("sqlagent: New needs a model, a database, a guard and a schema")
	}
	o, err := opt.withDefaults()
	if err != nil {
		return nil, err
	}
	r, err := newReader(db, guard, schema, o)
	if err != nil {
		return nil, err
	}
	m, err := modelcall.New("sqlagent", model, o.Settings, qed.DurableModel)
	if err != nil {
		return nil, err
	}
	m.MaxHistoryMessages, m.Shorter = o.MaxHistoryMessages, "lower the limits on tables and columns"
	a := &agent{reader: r, model: m}
	a.prompts, err = promptset.Load("sqlagent: Options.Prompts", promptFiles, o.Prompts, map[string]any{
		"select": selectData{}, "generate": generateData{}, "correct": correctData{}, "answer": answerData{},
	}, drafts.Rules)
	if err != nil {
		return nil, err
	}
	if d, ok := db.(interface{ PerSession() bool }); ok {
		a.perSession = d.PerSession()
	}
	runner, err := a.graph()
	if err != nil {
		return nil, fmt.Errorf("sqlagent: %w", err)
	}
	answers := qed.NewAgent(runner, begin, a.finish, nil)
	if o.Store == nil {
		return answers, nil
	}
	return qed.Durable(answers, o.Store, o.Durable.WithReplyModel(model, o.Settings)), nil
}

//go:embed prompts/*.tmpl
var promptFiles embed.FS

// agent is what all turns share. What one turn knows is its state.
type agent struct {
	*reader
	model   *modelcall.Model
	prompts promptset.Set

	perSession bool // a statement may return other rows to another caller

	samples sync.Map // sampleKey -> sample rows as text; only of turns without a user
	refused sync.Map // question and statement of a verified.Pair -> true: it was reported
}

// graph returns the nodes and edges that a question passes through.
func (a *agent) graph() (*qed.Runner[state], error) {
	g := qed.NewGraph[state]("sql")

	g.Node("select_tables", a.selectTables, nil)
	g.Node("filter_relationships", a.filterRelationships, nil)
	g.Node("find_paths", a.findPaths, nil)
	g.Node("plan_joins", a.planJoins, nil)
	g.Node("generate", a.generate, nil)
	g.Node("rewrite", a.rewrite, nil)
	g.Node("validate", a.validate, nil)
	g.Node("prove", a.prove, nil)
	g.Node("estimate", a.estimate, nil)
	g.Node("execute", a.execute, nil)
	g.Node("correct", a.correct, nil)
	g.Node("answer", a.answer, nil)

	g.Edge(qed.Start, "select_tables")
	g.Route("select_tables", afterSelection, "filter_relationships", "answer")
	g.Edge("filter_relationships", "find_paths")
	g.Edge("find_paths", "plan_joins")
	g.Edge("plan_joins", "generate")
	g.Route("generate", afterWriting, "rewrite", "answer")
	g.Edge("rewrite", "validate")
	g.Route("validate", a.afterValidation, "prove", "correct", "answer")
	g.Route("prove", a.afterProof, "estimate", "execute", "correct", "answer")
	g.Route("estimate", a.afterEstimate, "execute", "correct", "answer")
	g.Route("execute", a.afterExecution, "answer", "correct")
	g.Route("correct", afterWriting, "rewrite", "answer")
	g.Edge("answer", qed.End)

	return g.Compile(&qed.CompileOptions{
		MaxSteps: stepsOnce + stepsPerStatement*a.opt.MaxStatements,
		WrapUp:   "answer",
	})
}

// The highest number of nodes that a turn visits.
const (
	stepsOnce         = 6 // Start, the selection, the joins and the answer
	stepsPerStatement = 6 // writing, rewriting, validating, proving, estimating, executing
)

func afterSelection(s state) string {
	if len(s.Tables) == 0 {
		return "answer"
	}
	return "filter_relationships"
}

// afterWriting follows both nodes in which the model writes SQL. If there is no
// new statement, the answer contains what was found.
func afterWriting(s state) string {
	if s.Draft.Query == "" {
		return "answer"
	}
	return "rewrite"
}

func (a *agent) afterValidation(s state) string {
	if len(s.Draft.Problems) == 0 {
		return "prove"
	}
	return a.correctOrAnswer(s)
}

func (a *agent) afterProof(s state) string {
	if len(s.Draft.Problems) == 0 {
		if a.opt.MaxEstimate > 0 {
			return "estimate"
		}
		return "execute"
	}
	return a.correctOrAnswer(s)
}

func (a *agent) afterEstimate(s state) string {
	switch {
	case len(s.Draft.Problems) > 0:
		return a.correctOrAnswer(s)
	case s.Stopped:
		return "answer"
	}
	return "execute"
}

func (a *agent) afterExecution(s state) string {
	switch {
	case len(s.Draft.Problems) > 0:
		return a.correctOrAnswer(s)
	}
	return "answer"
}

func (a *agent) correctOrAnswer(s state) string {
	if s.Draft.Refused <= a.opt.MaxCorrections && len(s.Draft.Tried) < a.opt.MaxStatements {
		return "correct"
	}
	return "answer"
}
