package sqlagent

import (
	"context"
	"errors"
	"fmt"
	"io/fs"

	"github.com/qedkit/qed"
	"github.com/qedkit/qed/internal/option"
	"github.com/qedkit/qed/joinpath"
	"github.com/qedkit/qed/joinpath/privacy"
	"github.com/qedkit/qed/llm"
	"github.com/qedkit/qed/sqlagent/schemasearch"
	"github.com/qedkit/qed/sqlagent/values"
	"github.com/qedkit/qed/sqlagent/verified"
	"github.com/qedkit/qed/store"
	"github.com/qedkit/qed/store/usermemory"
)

// Options are the options of [New]. Nil and zero fields mean the defaults. A
// negative number is an error unless a field gives it a meaning.
type Options struct {
	// MinConfidence is the lowest confidence of a relationship that is used, from
	// 0 to 1. 0 means 0.7.
	MinConfidence float64

	// Aside are tables and roles that joins lead through only if there is no other way,
	// such as a company to which everything belongs, as [joinpath.Options.Aside].
	Aside []string

	// Graph adds the relationships and keys that the database does not declare, or that
	// the account cannot see because it reads a table through a secure view. Make it with
	// the account of the tables' owner, as qed-joingraph does, and read it with
	// [joinpath.Read]. What it says about other tables and columns than those of the policy
	// is ignored. Nil adds none.
	Graph *joinpath.Schema

	// Search finds the tables that a question is about. Nil means an index of the
	// tables and columns of the policy by their words. Make one with
	// [schemasearch.New] to find them by meaning or by synonyms too; tables of it
	// that the policy does not list are ignored.
	Search *schemasearch.Index

	// Limits are how much of the database a prompt shows.
	Limits PromptLimits

	// Columns chooses the columns whose values the model sees in sample rows and
	// as Values. Nil means all but those whose names look sensitive, such as a
	// password or an e-mail address; [privacy.Columns.LeftOut] lists them. All
	// columns keep their names in prompts, and rows of a result are not affected:
	// what a statement must not read does not belong in the policy. A name that
	// the policy does not have is an error.
	Columns *privacy.Columns

	// Values returns the dictionary of the caller of ctx. The prompt for writing
	// SQL then has the values that the question names, and the answer says which
	// value was read for other words: see [qed.Query.Values]. A turn fails with
	// [values.ErrCaller] if the dictionary belongs to another tenant or user than
	// the turn's. Nil, and a nil dictionary, mean none.
	Values func(ctx context.Context) (*values.Dictionary, error)

	// HideColumns shortens the message about a wrong column name: the model sees
	// neither the columns of the table nor the tables that have a column of that
	// name. The statement is refused in either case.
	HideColumns bool

	// MaxCorrections is how often a refused or failed statement is corrected. 0
	// means 3; a negative number means never.
	MaxCorrections int

	// MaxStatements is how many statements the model may write in one turn. 0
	// means 15. It applies in addition to MaxCorrections.
	MaxStatements int

	// MaxEstimate is how many rows the database may expect to read for a statement
	// before the run is interrupted and the user is asked whether it shall run: see
	// [github.com/qedkit/qed/sqldb.DB.Estimate]. If the run cannot be interrupted, such a
	// statement is refused and corrected. A statement of which the database has no
	// estimate runs: all of SQLite, and of MySQL and MariaDB those that read views for an
	// account that may not read the tables behind them. 0 means no limit.
	MaxEstimate int

	// InterruptForJoins interrupts the run and asks the user if several join plans
	// have the same cost, unless they provably give the same rows: the same columns
	// are equal, or tables that only connect others are looked up by declared
	// foreign keys. The user is not asked if the question has the words of one role, as
	// "by billing address", or about what was chosen earlier in the conversation. If it is
	// false, and if the run cannot be interrupted, the model chooses. It needs a Store, or an
	// enclosing agent that has one.
	InterruptForJoins bool

	// RepairJoins replaces joins that only repeat the rows of a sum or an average by EXISTS,
	// without asking the model: see [github.com/qedkit/qed/sqlproof.WithoutRepeats]. If it is
	// false, the prompt for the correction says what repeats.
	RepairJoins bool

	// User remembers past turns, their statements, and the people, jobs, places and
	// dates in them, of a user across conversations. The prompts show what is
	// similar or recent, and of the statements those that the guard accepts now. It
	// is used for turns that have a User. Values of columns that look like secrets or
	// that Columns hides are not remembered. Nil means none.
	User *usermemory.Memory

	// Verified has questions with statements that a person approved. The prompt for
	// writing SQL shows those that are similar to the question and that the guard
	// accepts now, at most three. A statement that the guard refuses is left out,
	// and reported once with [qed.Warning]. If the statement that runs is the approved one
	// up to its parameters, the answer names it: see [qed.Query.Verified]. Nil means none.
	Verified *verified.Set

	// Settings are how the agent calls its model.
	llm.Settings

	// MaxHistoryMessages is how many earlier messages of the conversation a
	// prompt contains. 0 means 50, which is more than a [qed.Memory] returns by
	// default.
	MaxHistoryMessages int

	// Store saves conversations, so that a turn can be resumed after a crash or an
	// interruption. Nil means that nothing is saved, unless the agent runs within
	// a durable run of another agent: then it is part of that run. See
	// [qed.Durable].
	Store store.Store

	// Durable configures how conversations are saved in Store. Nil means the
	// defaults of [qed.DurableOptions], with the agent's model reading the user's
	// replies.
	Durable *qed.DurableOptions

	// Prompts has files that replace those of the same name in the folder prompts,
	// such as answer.tmpl: https://github.com/qedkit/qed/tree/main/sqlagent/prompts.
	// Begin with a copy. The conversation goes where {{conversation}} stands. Everything that a database, a user or a model wrote must go
	// through the function quote, or the model could take it for instructions.
	// Nil means the agent's own.
	Prompts fs.FS
}

// PromptLimits are how much of a database the prompts show. Zero fields mean the
// defaults.
type PromptLimits struct {
	// ListedTables is how many tables the model chooses from. 0 means 250. Tables
	// that the question is most likely about come first, with their likeliest
	// columns; the last ones are listed without columns.
	ListedTables int

	// ChosenTables is how many tables are chosen for a question. 0 means 8.
	ChosenTables int

	// Tables is how many tables a prompt describes, including those that only
	// connect others. 0 means 20.
	Tables int

	// Columns is how many columns of a table a prompt shows. 0 means 50. A prompt
	// for a correction shows twice as many.
	Columns int

	// Relationships is how many relationships around the chosen tables a prompt
	// shows. 0 means 20.
	Relationships int

	// Paths is how many join paths, or join plans of the same cost, a prompt
	// shows. 0 means 10.
	Paths int

	// SampleRows is how many rows of each table a prompt shows. 0 means 1; a negative
	// number means none.
	SampleRows int
}

func (l *PromptLimits) setDefaults() error {
	option.DefaultOrNone(&l.SampleRows, 1)
	return errors.Join(
		option.Default("sqlagent: PromptLimits.ListedTables", &l.ListedTables, 250),
		option.Default("sqlagent: PromptLimits.ChosenTables", &l.ChosenTables, 8),
		option.Default("sqlagent: PromptLimits.Tables", &l.Tables, 20),
		option.Default("sqlagent: PromptLimits.Columns", &l.Columns, 50),
		option.Default("sqlagent: PromptLimits.Relationships", &l.Relationships, 20),
		option.Default("sqlagent: PromptLimits.Paths", &l.Paths, 10),
	)
}

// Limits that are not options.
const (
	maxHops            = 4 // joins from one chosen table to the next
	maxFallbackTables  = 5 // chosen by their names if the model chooses none
	maxExamples        = 3
	maxEarlierBytes    = 100  // of each earlier statement, in a correction
	maxSelectionTokens = 8000 // of the tables that the model chooses from
	maxWholeTokens     = 4000 // of all tables with all columns
	maxSelectedColumns = 12   // of a table in the selection
	maxNamedValues     = 12   // in the prompt for writing SQL
)

func (o *Options) withDefaults() (Options, error) {
	v := option.Of(o)
	if v.MinConfidence > 1 {
		return v, fmt.Errorf("sqlagent: Options.MinConfidence is %v: it cannot be higher than 1", v.MinConfidence)
	}
	if v.User != nil && v.User.Store == nil {
		return v, errors.New("sqlagent: Options.User has no Store")
	}
	option.DefaultOrNone(&v.MaxCorrections, 3)
	return v, errors.Join(
		option.Default("sqlagent: Options.MinConfidence", &v.MinConfidence, 0.7),
		option.Default("sqlagent: Options.MaxStatements", &v.MaxStatements, 15),
		option.Default("sqlagent: Options.MaxEstimate", &v.MaxEstimate, 0),
		option.Default("sqlagent: Options.MaxHistoryMessages", &v.MaxHistoryMessages, 50),
		v.Limits.setDefaults(),
		atMost("Limits.Columns", v.Limits.Columns),
		atMost("Limits.SampleRows", v.Limits.SampleRows),
		atMost("MaxCorrections", v.MaxCorrections),
		atMost("MaxStatements", v.MaxStatements),
	)
}

// atMost returns an error if an option is so high that multiples of it overflow.
func atMost(name string, v int) error {
	if v > maxOption {
		return fmt.Errorf("sqlagent: Options.%s is %d: it cannot be higher than %d", name, v, maxOption)
	}
	return nil
}

const maxOption = 1 << 28
