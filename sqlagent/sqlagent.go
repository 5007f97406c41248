// Package sqlagent answers questions from a relational database, with the
// proof: the tables it chose, the join path, the SQL that the model wrote and
// the SQL that ran, every correction and why, and the rows.
//
// The way of a question is a [qed.Graph], in this order:
//
//	select_tables -> filter_relationships -> find_paths -> plan_joins
//	  -> generate -> rewrite -> validate -> execute -> answer
//	                    ^           |          |
//	                    +- correct <-----------+
//
// The model chooses tables and writes SQL; everything else is computed. Package
// joinpath finds how the tables join, package secureview rewrites what the
// model wrote or refuses it, package sqldb runs what secureview let through.
// Nothing that a model writes reaches the database in any other way.
//
// An empty result is generated once more, with what was learned. A statement
// that is refused or fails is corrected, a limited number of times, with as
// little context as the fault needs.
//
// [NewSource] is the same database for tools: what is checked and run there goes the
// same way, and no model takes part.
//
// # What the model sees
//
// Everything that follows goes to the model's provider: the names of the
// policy's tables and columns, their types and comments, a sample row of each
// table that a question is about ([Options.SampleRows]), the relationships, the
// conversation ([Options.MaxHistoryMessages]), the statements with their faults,
// and the rows of the result. Columns that the policy does not list never do.
// Data among it is quoted and capped, and said to be data.
//
// The model is told which joins repeat rows. That it heeds it is not checked: a
// SUM over such a join can still be wrong.
//
// # Requests
//
// The requests have the names of their nodes, for scripted models and traces
// ([llm.Request.Name]). What comes back is JSON but for the last:
//
//	select_tables   {"tables": ["employee"], "reason": "optional"}
//	generate        {"sql": "SELECT ..", "reason": "where sql is empty"}
//	correct         the same
//	answer          text
//
// # How many rows
//
// The lowest limit wins: the policy's row limit, which stands in the executed
// SQL; that of the database ([github.com/qedkit/qed/sqldb.Options]); and
// [Options.MaxRows].
package sqlagent

import (
	"context"
	"errors"
	"fmt"
	"sync"

	"github.com/qedkit/qed"
	"github.com/qedkit/qed/internal/asking"
	"github.com/qedkit/qed/joinpath"
	"github.com/qedkit/qed/llm"
	"github.com/qedkit/qed/secureview"
)

// Database runs a guarded statement. [github.com/qedkit/qed/sqldb.DB] is one.
// It is used by concurrent turns, with the context of each.
//
// Where what may be read depends on who asks, a Database has a method
// PerSession() bool that says so, as DB has, or its turns have a User or a
// Company: otherwise sample rows that were read for one turn are shown to the
// model in others.
type Database interface {
	Query(ctx context.Context, stmt *secureview.Statement) (*qed.Table, error)
}

// New returns the SQL agent: a [qed.Agent] that answers from db what guard
// lets it read. schema gives the columns' types and the relationships by which
// tables join, under the names of the guard's policy; tables and columns that
// the policy does not list are left out. A guard that does not fit the database
// is an error that matches [ErrMismatch]. A nil opt means the defaults.
//
// With [Options.Store] the agent keeps conversations: what was said before is
// told to the model, and a turn that stopped can go on. Without one, pass what
// was said before in [qed.Turn.History]. The agent is safe for concurrent use.
//
// What a budget in the context ([qed.WithBudget]) leaves is all that the agent
// spends; when it is used up, the answer is made of what there is, and partial.
//
// A turn ends with an error where nobody can answer it (the model or the
// database is unreachable, the context ends); it ends with a partial Answer
// that says why where the question could not be answered as it was asked. A
// turn without a text is [qed.ErrEmptyTurn].
// Errors of the model match the kinds of package llm, those of the database
// the kinds of package sqldb.
func New(model llm.Model, db Database, guard *secureview.Guard, schema *joinpath.Schema, opt *Options) (qed.Agent, error) {
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
	m, err := o.asking(model)
	if err != nil {
		return nil, err
	}
	a := &agent{reader: r, model: m}
	if d, ok := db.(interface{ PerSession() bool }); ok {
		a.perSession = d.PerSession()
	}
	runner, err := a.pipeline()
	if err != nil {
		return nil, fmt.Errorf("sqlagent: %w", err)
	}
	answers := qed.NewAgent(runner, begin, a.finish, nil)
	if o.Store == nil {
		return answers, nil
	}
	return qed.Durable(answers, o.Store, o.Durable.WithReplyModel(model, o.Settings)), nil
}

// agent is what all turns share; what one turn knows is its state.
type agent struct {
	*reader
	model *asking.Model

	perSession bool // the same statement may answer other rows to another caller

	samples sync.Map // sampleKey -> rows as JSON lines, of turns that are nobody's
}

// pipeline is the way a question takes.
func (a *agent) pipeline() (*qed.Runner[state], error) {
	g := qed.NewGraph[state]("sql")

	g.Node("select_tables", a.selectTables, nil)
	g.Node("filter_relationships", a.filterRelationships, nil)
	g.Node("find_paths", a.findPaths, nil)
	g.Node("plan_joins", a.planJoins, nil)
	g.Node("generate", a.generate, nil)
	g.Node("rewrite", a.rewrite, nil)
	g.Node("validate", a.validate, nil)
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
	g.Route("validate", a.afterValidation, "execute", "correct", "answer")
	g.Route("execute", a.afterExecution, "answer", "generate", "correct")
	g.Route("correct", afterWriting, "rewrite", "answer")
	g.Edge("answer", qed.End)

	return g.Compile(&qed.CompileOptions{
		MaxSteps: stepsOnce + stepsPerStatement*a.opt.MaxStatements,
		WrapUp:   "answer",
	})
}

// How many nodes a turn visits at most: once each, and for each statement.
const (
	stepsOnce         = 6 // selection, joins and the answer, with Start
	stepsPerStatement = 4 // writing, rewriting, validating, executing
)

func afterSelection(s state) string {
	if len(s.Tables) == 0 {
		return "answer"
	}
	return "filter_relationships"
}

// afterWriting follows both nodes in which the model writes SQL: with nothing
// new to check, what there is has to be the answer.
func afterWriting(s state) string {
	if s.SQL == "" {
		return "answer"
	}
	return "rewrite"
}

func (a *agent) afterValidation(s state) string {
	if s.Fault == nil {
		return "execute"
	}
	return a.correctOrAnswer(s)
}

func (a *agent) afterExecution(s state) string {
	switch {
	case s.Fault != nil:
		return a.correctOrAnswer(s)
	case len(s.Table.Rows) == 0 && s.Learned == "" && len(s.Tried) < a.opt.MaxStatements:
		return "generate"
	}
	return "answer"
}

func (a *agent) correctOrAnswer(s state) string {
	if s.Attempts < a.opt.MaxCorrections && len(s.Tried) < a.opt.MaxStatements {
		return "correct"
	}
	return "answer"
}
