package qed

import (
	"encoding/json"
	"maps"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/qedkit/qed/dates"
	"github.com/qedkit/qed/llm"
	"github.com/qedkit/qed/question"
	"github.com/qedkit/qed/sqlproof/proof"
)

// An Answer is the answer of an [Agent], with its proof: the queries that ran, the
// rows that they returned, and the documents that were used.
//
// It is a plain value with a stable JSON form that decodes to an equal value.
type Answer struct {
	Text      string     `json:"text"`
	Table     *Table     `json:"table,omitempty"`   // the rows that the text is about; nil if there are none
	Queries   []Query    `json:"queries,omitempty"` // empty if no database was queried
	Artifacts []Artifact `json:"artifacts,omitempty"`
	Citations []Citation `json:"citations,omitempty"`
	Documents []Document `json:"documents,omitempty"` // the first documents that were found, whole

	// Figures are the values in Text that were looked up or computed by code.
	// Unproved is what Text says without proof: numbers that the model wrote
	// itself and that neither the rows nor the question prove, numbers and dates
	// that the cited sources do not have, references that have no value, and what
	// is left in braces. An answer with any of these is
	// Partial. Both are empty if the agent does not check its text.
	Figures  []Figure `json:"figures,omitempty"`
	Unproved []string `json:"unproved,omitempty"`

	// Audit is what code found when it compared Text with the sources it cites. Nil
	// means that the agent does not cite sources, or wrote no text from them.
	Audit *CitationAudit `json:"audit,omitempty"`

	// NotFound says that the sources were searched and do not answer the question.
	NotFound bool `json:"not_found,omitempty"`

	// Used is what the prompts for the queries had besides the names of tables and columns.
	// Nil means nothing, or that the agent does not say it.
	Used *Used `json:"used,omitempty"`

	// Dates are the periods that the question is about, such as "last quarter", and
	// whether the queries read them.
	Dates []dates.Reading `json:"dates,omitempty"`

	// Partial says that the answer does not cover the whole question, or that code
	// found something doubtful in it, such as a query that reads other dates.
	// PartialReason says what is missing or doubtful, and why.
	Partial       bool   `json:"partial,omitempty"`
	PartialReason string `json:"partial_reason,omitempty"`

	// Plan has the tasks of the plan behind the answer, with their status: done or
	// not. It is empty if the agent made no plan.
	Plan []PlanTask `json:"plan,omitempty"`

	// Questions are the questions to the user with which the turn ends. The answer
	// needs their replies first. Text then has the questions as text.
	Questions []question.Question `json:"questions,omitempty"`

	// Usage is what all models of the turn used. Calls of a [DurableModel] are counted, as
	// those of all agents of this module are. An agent with other models sets it to the
	// usage of all. The answer of a [Durable] agent includes what was used before it was
	// resumed; that of an agent within it may not.
	Usage llm.Usage `json:"usage"`

	// Saved says that the turn was saved in the store: see [Durable].
	Saved bool `json:"saved,omitempty"`

	// Repeated says that the turn was sent again, and that this is the answer that
	// it got the first time, as it was saved: Usage is what it cost then, and a long
	// Table has its first rows only. See [Turn].ID.
	Repeated bool `json:"repeated,omitempty"`
}

// Used is what stood in the prompts for the queries of an [Answer]. A model may have
// followed it or not.
type Used struct {
	Examples    []VerifiedQuestion `json:"examples,omitempty"`
	Values      []ValueMatch       `json:"values,omitempty"`      // what words of the question may mean
	Notes       []string           `json:"notes,omitempty"`       // what is remembered of the user
	Definitions []Definition       `json:"definitions,omitempty"` // what the database says about its tables and columns
}

// A Definition is the comment of a database on a table or a column.
type Definition struct {
	Table  string `json:"table"`
	Column string `json:"column,omitempty"`
	Text   string `json:"text"`
}

// And returns what two answers used together. Either may be nil.
func (u *Used) And(v *Used) *Used {
	switch {
	case u == nil:
		return v
	case v == nil:
		return u
	}
	return &Used{
		Examples:    slices.Concat(u.Examples, v.Examples),
		Values:      slices.Concat(u.Values, v.Values),
		Notes:       slices.Concat(u.Notes, v.Notes),
		Definitions: slices.Concat(u.Definitions, v.Definitions),
	}
}

// Lines returns an entry for each thing that was used, for people.
func (u *Used) Lines() (lines []string) {
	if u == nil {
		return nil
	}
	for _, e := range u.Examples {
		lines = append(lines, "example "+e.String())
	}
	for _, v := range u.Values {
		lines = append(lines, "value "+strconv.Quote(v.Said)+": "+v.Table+"."+v.Column+" = "+strconv.Quote(v.Value))
	}
	for _, note := range u.Notes {
		lines = append(lines, "remembered "+note)
	}
	for _, d := range u.Definitions {
		name := strings.TrimSuffix(d.Table+"."+d.Column, ".")
		lines = append(lines, "definition "+name+": "+d.Text)
	}
	return lines
}

// A Query is one query of a database or a search engine, from what the model wrote
// to the rows that came back.
type Query struct {
	Language string `json:"language"`        // such as "sql"
	Task     string `json:"task,omitempty"`  // the key of its task in the plan; empty without a plan
	Index    string `json:"index,omitempty"` // what was searched, if the query does not name it

	// Written is the last query that the model wrote. Executed is the query that
	// ran, after it was rewritten and limited; it is empty if none ran. Parts that
	// only name fields hidden from the model may be missing in it.
	Written  string `json:"written"`
	Executed string `json:"executed,omitempty"`

	Views    []string `json:"views,omitempty"`     // the secure views that replace tables
	JoinPath []Join   `json:"join_path,omitempty"` // the joins of the query that ran
	Rows     int      `json:"rows"`                // how many rows came back
	Total    int64    `json:"total,omitempty"`     // how many rows match, if known and different from Rows
	Millis   int64    `json:"millis,omitempty"`    // how long it took
	Cached   bool     `json:"cached,omitempty"`    // the rows of an earlier run were used
	Handle   string   `json:"handle,omitempty"`    // of the rows, for [Load]; empty if they are not saved

	// Values are the values that the query compares with in place of other words
	// of the question.
	Values []ValueMatch `json:"values,omitempty"`

	Corrections []Correction `json:"corrections,omitempty"` // oldest first

	// Meaning says in one line what the query computes, and Checked what was found out about
	// it, both by code, for users. Proof has the same for programs. They are empty if the
	// query was not checked.
	Meaning string        `json:"meaning,omitempty"`
	Checked []string      `json:"checked,omitempty"`
	Proof   *proof.Report `json:"proof,omitempty"`

	// Verified is the question whose statement a person approved, if the query is that
	// statement up to the parameters of the question. Nil: it is not.
	Verified *VerifiedQuestion `json:"verified,omitempty"`

	// Empty says why the query found nothing. Nil if it found something, or if nobody
	// looked for the reason.
	Empty *EmptyResult `json:"empty,omitempty"`
}

// An EmptyResult says why a query found nothing: no rows, or one row of nothing but NULL
// and 0, which summarises no rows. Code found it out by queries for single conditions.
type EmptyResult struct {
	// Predicates are the conditions that a row has to meet, and the tables that have to
	// have rows.
	Predicates []Predicate `json:"predicates"`

	// Together says that there are rows for each of the contradicted predicates alone, and
	// none for all of them.
	Together bool `json:"together,omitempty"`

	// Limited says that there may be rows that the user must not see: secure views were
	// read, tables with filters, or the session of a user.
	Limited bool `json:"limited,omitempty"`
}

// A Predicate is a condition of a query, or that a table has rows.
type Predicate struct {
	SQL    string   `json:"sql,omitempty"` // empty: that Tables have rows
	Tables []string `json:"tables,omitempty"`

	// Verdict is [dates.Proved] if there are such rows, and [dates.Contradicted] if there
	// are none.
	Verdict dates.Verdict `json:"verdict"`

	// Column is the column of a contradicted predicate, such as "orders.status". Nearest
	// are values that it has, and From and To its first and last one.
	Column  string   `json:"column,omitempty"`
	Nearest []string `json:"nearest,omitempty"`
	From    string   `json:"from,omitempty"`
	To      string   `json:"to,omitempty"`
}

// String returns the predicate with its verdict, in one line.
func (p Predicate) String() string {
	text := strings.Join(p.Tables, ", ")
	if p.SQL != "" {
		text += ": " + p.SQL
	}
	text = strings.TrimPrefix(text, ": ")
	switch p.Verdict {
	case dates.Proved:
		text += ", has rows"
	case dates.Contradicted:
		text += ", has no rows"
	default:
		text += ", not checked"
	}
	switch {
	case len(p.Nearest) > 0:
		text += "; " + p.Column + " has " + strings.Join(p.Nearest, ", ")
	case p.From != "":
		text += "; " + p.Column + " is from " + p.From + " to " + p.To
	}
	return text
}

// A ValueMatch is a value that a query took for words of the question that are spelled
// differently: Active for "Actve".
type ValueMatch struct {
	Said   string `json:"said"`
	Table  string `json:"table"`
	Column string `json:"column"`
	Value  string `json:"value"`
}

// A VerifiedQuestion is a question with a statement that a person approved: see
// [github.com/qedkit/qed/sqlagent/verified.Pair].
type VerifiedQuestion struct {
	Question string    `json:"question"`
	SQL      string    `json:"sql"`
	By       string    `json:"by,omitempty"`
	Time     time.Time `json:"time,omitzero"`

	// Parameters are what a query has for the parameters of the question.
	Parameters map[string]string `json:"parameters,omitempty"`
}

// String returns who approved the question, and when.
func (q VerifiedQuestion) String() string {
	text := strconv.Quote(q.Question)
	if q.By != "" {
		text += ", approved by " + q.By
	}
	if !q.Time.IsZero() {
		text += " on " + q.Time.Format(time.DateOnly)
	}
	for _, name := range slices.Sorted(maps.Keys(q.Parameters)) {
		text += ", with " + name + " = " + q.Parameters[name]
	}
	return text
}

// A Correction is a query that was replaced, and the reason.
type Correction struct {
	Query  string `json:"query"`
	Reason string `json:"reason"`
}

// An Artifact is a part of an answer that is not text, such as a chart.
type Artifact struct {
	Name      string `json:"name"`
	MediaType string `json:"media_type"`
	Data      []byte `json:"data"` // base64 in JSON
}

// A Document is a document that was found in an index, without hidden fields.
type Document struct {
	Index  string          `json:"index"`
	ID     string          `json:"id"`
	Source json.RawMessage `json:"source,omitempty"`
}

// A Citation is a passage of a document that the answer is based on.
type Citation struct {
	Title    string `json:"title"`
	Location string `json:"location,omitempty"` // such as a URL, or a file and a page
	Excerpt  string `json:"excerpt,omitempty"`
}

// A CitationAudit is what package citation found when it compared a text with the
// sources that the text cites.
type CitationAudit struct {
	Claims   int               `json:"claims"`  // sentences that state something
	Uncited  int               `json:"uncited"` // claims without a source
	Findings []CitationFinding `json:"findings,omitempty"`
}

// A CitationFinding is one thing in a text that its sources do not have. It is no verdict on
// the sentence: a sentence without a finding is not proved, because its sources may mean
// something else, and one with a finding is not contradicted, because others may prove it.
type CitationFinding struct {
	Kind     CitationFindingKind `json:"kind"`
	Text     string              `json:"text,omitempty"`     // the key, quotation, number, date or time
	Sentence string              `json:"sentence,omitempty"` // where it is
	Keys     []string            `json:"keys,omitempty"`     // of the sources that the sentence cites
}

// A CitationFindingKind says what is wrong.
type CitationFindingKind string

const (
	UnknownKey  CitationFindingKind = "unknown_key"  // no source has the cited key
	WrongQuote  CitationFindingKind = "wrong_quote"  // the quotation is not in the sources
	WrongNumber CitationFindingKind = "wrong_number" // the number is not in the cited sources
	WrongDate   CitationFindingKind = "wrong_date"   // the date or the time of day is not in the cited sources
	Uncited     CitationFindingKind = "uncited"      // the claim has no source
)

// A Figure is a value in the text of an [Answer] that code looked up in the rows
// of the answer's queries, or computed from them. Package figures makes it.
type Figure struct {
	Text      string `json:"text"`      // as it stands in the answer, such as "1,234.5"
	Offset    int    `json:"offset"`    // of Text in the Text of the answer, in bytes
	Reference string `json:"reference"` // the cell or the computation, such as "r1.hours - r2.hours"

	// Sources are the cells that it was made of.
	Sources []FigureSource `json:"sources"`
}

// A FigureSource is a cell of the rows of a query, or a whole column.
type FigureSource struct {
	Query  int    `json:"query"`            // the index in the Queries of the answer; -1 if no query returned the rows
	Row    int    `json:"row,omitempty"`    // from 1; 0 means all rows
	Column string `json:"column,omitempty"` // empty: the rows themselves are counted
}

// A Join is a pair of tables that a query combines, as the query that ran has it and
// not as it was planned. A query that uses a table twice has a Join for each use.
//
// If Left and Right have columns, these are equal in pairs. If they have none, the
// tables are combined by Condition, or each row of one with each row of the other.
type Join struct {
	Left  JoinSide `json:"left"`
	Right JoinSide `json:"right"`

	// Kind is what happens to rows without a match: "inner" leaves out those of both
	// sides, "left", "right" and "full" keep those of the sides they name. "semi" and
	// "anti" select rows of Left that have a match in a subquery, or have none, and
	// "subquery" computes a value for each row of Left.
	Kind string `json:"kind"`

	Condition bool `json:"condition,omitempty"` // a condition that is no equality of columns

	// Relationship says whether a known relationship is the reason for the join. It
	// is empty if that was not checked, as for columns that the query computes. A
	// known relationship has the following properties.
	Relationship JoinRelationship `json:"relationship,omitempty"`
	Role         string           `json:"role,omitempty"`
	Confidence   float64          `json:"confidence,omitempty"`  // from 0 to 1
	Cardinality  string           `json:"cardinality,omitempty"` // from Left to Right, such as "N:1"; empty: not known
}

// A JoinSide is a table of a [Join].
type JoinSide struct {
	Table   string   `json:"table,omitempty"` // empty: the columns are computed by the query
	Alias   string   `json:"alias,omitempty"` // if the table alone does not say what is meant
	Columns []string `json:"columns,omitempty"`
}

// A JoinRelationship is the result of a comparison of a [Join] with the relationships
// of the database.
type JoinRelationship string

const (
	JoinKnown   JoinRelationship = "known"   // it is a relationship
	JoinImplied JoinRelationship = "implied" // it follows from several relationships
	JoinUnknown JoinRelationship = "unknown" // there is none with these columns
)

// String returns the join as a condition, such as "orders.customer_id = customer.id".
func (j Join) String() string {
	var pairs []string
	for i := range min(len(j.Left.Columns), len(j.Right.Columns)) {
		pairs = append(pairs, j.Left.String()+"."+j.Left.Columns[i]+" = "+j.Right.String()+"."+j.Right.Columns[i])
	}
	switch {
	case len(pairs) > 0:
		return strings.Join(pairs, " AND ")
	case j.Condition:
		return j.Left.String() + ", " + j.Right.String() + " by another condition"
	}
	return j.Left.String() + ", " + j.Right.String() + " without a condition"
}

// String returns the name of the table with its alias.
func (s JoinSide) String() string { return strings.TrimSpace(s.Table + " " + s.Alias) }
