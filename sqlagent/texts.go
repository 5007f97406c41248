package sqlagent

import (
	"context"

	"github.com/qedkit/qed"
	"github.com/qedkit/qed/internal/usertext"
)

// texts are the texts that the agent writes for users, other than those of the
// model. A name in braces is replaced by its value. All but NoAnswer, WhichJoin, JoinChoice, TooCostly, Run, DoNotRun, ReadAs, the
// three about joins that are no relationships, those about why nothing was found, those about
// dates, and what is known about the query say why an answer is partial.
type texts struct {
	NoAnswer     string // the answer if nothing was read; {reason} is one of the others
	NoTables     string // no table fits the question
	NoQuery      string // no query was found that may run
	Unread       string // the model's replies could not be read, so there is no query
	OnlyReads    string // the question asks to change data
	Declined     string // the model wrote no query; {reason} is its own, which nobody checked
	LimitNoRows  string // the limit of the request was reached before anything was read
	LimitNothing string // it was reached after one query that found nothing
	NotInWords   string // the rows were read, and there is no text
	CutOff       string // the text is not complete
	GuessedJoin  string // the query joins tables that are not connected; {tables}
	LeftOut      string // tables that are not connected with the others were not read; {tables}
	WhichJoin    string // the question which join is meant
	JoinChoice   string // one choice of WhichJoin; {role} is in words of the schema

	// The query joins the tables {left} and {right}, and not by a relationship.
	JoinedUnknown   string // by {columns}
	JoinedOtherwise string // by another condition than that columns are equal
	JoinedAll       string // by no condition

	JoinedMany string // many rows of {left} and {right} belong to one of {table}, and the query joins all three

	// What is known about {value}, an aggregate or a column of the query. It comes from rows
	// of {of}; {by} are other tables.
	Once        string // no row counts more than once
	Counts      string // it counts rows of {of}
	CountsNone  string // the same, and what has no row of {of} as one
	Unaffected  string // rows repeat, which does not change it
	NotChecked  string // nothing is known
	Repeats     string // rows count once for each row of {by}, which is wrong
	MayRepeat   string // the same, which may be meant
	Merged      string // different rows with equal values counted as one
	OneOfGroup  string // its group may have several values of it
	NoSuchValue string // no row has a text that is compared
	ByRole      string // by which of several relationships tables are joined
	Rounded     string // it is a share, and rounded to a whole number
	NoTable     string // the query reads no value of a table
	NeverTrue   string // a condition compares with NULL
	Missing     string // {count} rows of {of} have no row of {by} and are missing
	MayMiss     string // rows of {of} without a row of {by} are missing, if there are any
	OuterUndone string // rows without a row of {of} are missing, although the join kept them
	NotInNull   string // {value} may be NULL, and then NOT IN finds nothing

	// The line that says what the query computes: MeaningRows or values, then the others.
	MeaningRows     string // rows of {tables} are listed
	MeaningDistinct string // so that no two are equal
	MeaningValues   string // {values} are computed from {tables}
	MeaningMatching string // a join that keeps rows without a match matches rows for which {conditions} are true
	MeaningWhere    string // {conditions} are true
	MeaningGroups   string // for each {groups}
	MeaningLimit    string // at most {n} rows, in the order of {order}
	MeaningFirst    string // at most {n} rows
	SumOf           string // {of}; so are the others
	AverageOf       string
	LowestOf        string
	HighestOf       string
	NumberOfRows    string
	NumberOf        string
	DifferentOf     string // the number of different values
	FunctionOf      string // another {function}

	// The database expects to read {rows} rows of {tables} for the query.
	TooCostly     string // the question whether it shall run
	Run, DoNotRun string // its choices
	NotRun        string // the query was not run; {rows}

	OtherJoin string // the user asked for {chosen}, and the query has {joins}

	ReadAs string // words of the question were read as values of the data; {said}, {values}

	// The line about the times that the question is about: {dates}.
	DatesUsed      string // the query reads them
	DatesDiffer    string // it reads others: {found}
	DatesUnchecked string // whether it reads them was not checked

	// Why nothing was found: {reasons}, of which NothingVisible says that the user may see
	// only a part of the data.
	NothingFound, NothingVisible string

	NoRows      string // a reason: the table {table} is empty
	NoRowHas    string // a reason: no row of {tables} meets {condition}
	NoRowHasAll string // a reason: rows meet each of {conditions} alone, and none meets all
	HasValues   string // the column {column} has {values}, which are similar
	HasSpan     string // the column {column} has values from {from} to {to}

	NoTime string // the question names a time, and the query looks at none

	Unproved string // what the answer says without proof: {numbers}
}

var textTable = usertext.Of[texts]("sqlagent")

// texts returns the texts in the language of the turn.
func (a *agent) texts(ctx context.Context) *texts { return textTable.In(ctx, qed.Info(ctx).Language) }
