// Package proof has the form of what is proved about a statement. Package [sqlproof] makes
// it, and the answers of agents have it.
//
// [sqlproof]: https://pkg.go.dev/github.com/qedkit/qed/sqlproof
package proof

import (
	"fmt"
	"slices"

	"github.com/qedkit/qed/dates"
	"github.com/qedkit/qed/refusal"
)

// A Severity says what to do about a [Finding].
type Severity string

// The severities, from the highest.
const (
	Error    Severity = "error"    // the statement should not run: it goes back to its author
	Question Severity = "question" // it may be meant: a person decides
	Note     Severity = "note"     // it stands next to the answer
)

// The codes of findings.
const (
	JoinUnknown       refusal.Code = "join_unknown"          // the columns of a join belong to no relationship, and others do
	JoinPartial       refusal.Code = "join_partial"          // a part of a key of several columns
	JoinRole          refusal.Code = "join_role"             // a join by one of several relationships of its tables
	JoinType          refusal.Code = "join_type"             // a number is compared with a text
	Cartesian         refusal.Code = "cartesian"             // nothing connects two tables
	FanOut            refusal.Code = "fan_out"               // a join repeats the rows that are aggregated
	Chasm             refusal.Code = "chasm"                 // two independent joins repeat each other's rows
	CountRows         refusal.Code = "count_rows"            // what a count counts, where tables are joined
	CountOuter        refusal.Code = "count_outer"           // the same, where an outer join adds rows without one
	BareColumn        refusal.Code = "bare_column"           // a column that a group does not determine
	DistinctNoRepair  refusal.Code = "distinct_is_no_repair" // DISTINCT or GROUP BY took equal values of different rows together
	UnionDedup        refusal.Code = "union_dedup"           // UNION without ALL took equal amounts together
	OuterJoinUndone   refusal.Code = "outer_join_undone"     // a condition removes the rows that an outer join kept
	NotInNull         refusal.Code = "not_in_null"           // NOT IN a query that may return NULL
	NoTable           refusal.Code = "no_table"              // it reads no value of a table, so its numbers are its writer's
	NullCompare       refusal.Code = "null_compare"          // a comparison with NULL, which is never true
	InnerJoinOptional refusal.Code = "inner_join_optional"   // rows without a match are missing
	IntegerDivision   refusal.Code = "integer_division"      // a share is rounded to a whole number
	AverageOfAverages refusal.Code = "average_of_averages"   // small groups weigh as much as large ones
	DateBoundary      refusal.Code = "date_boundary"         // a day is compared with times
	TypeMismatch      refusal.Code = "type_mismatch"         // a number is compared with a text
	ValueUnknown      refusal.Code = "value_unknown"         // a column is compared with a text that it does not have
	LimitWithoutOrder refusal.Code = "limit_without_order"   // any rows
	UnitMix           refusal.Code = "unit_mix"              // columns of different units are added or compared
	TextOrder         refusal.Code = "text_order"            // texts are compared with a number, or ordered as one
)

// Truth is what is known about a fact.
type Truth int8

// The zero Truth is Unknown.
const (
	Unknown Truth = 0
	No      Truth = -1
	Yes     Truth = 1
)

// MarshalJSON writes true, false or "unknown".
func (t Truth) MarshalJSON() ([]byte, error) {
	switch t {
	case Yes:
		return []byte("true"), nil
	case No:
		return []byte("false"), nil
	}
	return []byte(`"unknown"`), nil
}

// UnmarshalJSON reads what MarshalJSON writes.
func (t *Truth) UnmarshalJSON(text []byte) error {
	switch string(text) {
	case "true":
		*t = Yes
	case "false":
		*t = No
	case `"unknown"`:
		*t = Unknown
	default:
		return fmt.Errorf("proof: %.20s is not true, false or \"unknown\"", text)
	}
	return nil
}

// A Report is what is known about a statement without running it. It is plain data.
type Report struct {
	// Joins has an item for each pair of tables that the statement compares, also those of
	// subqueries with IN and EXISTS, and one for each table that nothing connects.
	Joins []Join `json:"joins"`

	// Aggregates has an item for each aggregate and window function, in the order of the
	// text, and one for each column next to aggregates.
	Aggregates []Aggregate `json:"aggregates"`

	// Findings are what is wrong, what may be, and what a reader should know.
	Findings []Finding `json:"findings"`

	// Meaning is what the outermost block computes; nil for a set operation.
	Meaning *Meaning `json:"meaning,omitempty"`
}

// A Meaning is what a statement computes. Its expressions are those of the statement, with the
// names of tables instead of aliases and no more than they need, and "..." is the end of one
// that is cut off.
type Meaning struct {
	Values   []Value  `json:"values,omitempty"` // the aggregates; none: rows are listed
	Distinct bool     `json:"distinct,omitempty"`
	Tables   []string `json:"tables,omitempty"`   // those that are joined, and subqueries
	Where    []string `json:"where,omitempty"`    // all of these are true for each row
	Matching []string `json:"matching,omitempty"` // an outer join adds rows for which these are true
	GroupBy  []string `json:"group_by,omitempty"` // there is a value for each of these
	Having   string   `json:"having,omitempty"`
	OrderBy  []string `json:"order_by,omitempty"` // the rows are the first in this order; empty if some are skipped
	Limit    int      `json:"limit,omitempty"`    // the largest number of rows that the statement asks for; 0: none
}

// A Value is an aggregate of a [Meaning], such as the function sum of the expression total.
// Of is empty if all rows are counted.
type Value struct {
	Function string `json:"function"`
	Of       string `json:"of,omitempty"`
	Distinct bool   `json:"distinct,omitempty"`
}

// Fill makes empty lists of missing ones, which are [] in JSON.
func (r *Report) Fill() {
	if r.Joins == nil {
		r.Joins = []Join{}
	}
	if r.Aggregates == nil {
		r.Aggregates = []Aggregate{}
	}
	if r.Findings == nil {
		r.Findings = []Finding{}
	}
}

// OK reports whether no finding is an error.
func (r *Report) OK() bool {
	for i := range r.Findings {
		if r.Findings[i].Severity == Error {
			return false
		}
	}
	return true
}

// A Join is a pair of tables that a statement combines. Left and Right are the names of
// tables, or their aliases where a table is used twice.
type Join struct {
	Left    string      `json:"left"`
	Right   string      `json:"right"`
	Columns [][2]string `json:"columns,omitempty"` // of Left and Right, compared for equality

	// Kind is "inner", "left", "right" or "full"; "semi" or "anti" for a subquery that selects
	// rows of Left, and "subquery" for one that computes a value for each of them.
	Kind string `json:"kind,omitempty"`

	// Tables are the names of both tables in the schema, empty for a subquery that computes
	// its columns. Condition means that a condition which is no equality connects them.
	Tables    [2]string `json:"tables"`
	Condition bool      `json:"condition,omitempty"`

	// Relationship is the relationship that is the reason for the join: one of the schema,
	// [Known], whose properties follow, or [Implied] by several, or [NoRelationship]. It is
	// empty if that cannot be known.
	Relationship string  `json:"relationship,omitempty"`
	Role         string  `json:"role,omitempty"`
	Confidence   float64 `json:"confidence,omitempty"`  // from 0 to 1
	Cardinality  string  `json:"cardinality,omitempty"` // from Left to Right, such as "N:1"; empty: not known

	// Verdict is [dates.Proved] if the join is right in every database with the keys and
	// relationships of the schema, [dates.Contradicted] if it is wrong in some of them, and
	// [dates.NotChecked] if the schema does not say enough, or the construct is not known.
	// Those of aggregates are alike.
	Verdict dates.Verdict `json:"verdict"`

	// RestsOn is why: "foreign key", "inferred, confidence 0.93", or the key of a third
	// table to which both columns refer.
	RestsOn string `json:"rests_on,omitempty"`

	At int `json:"at"` // the offset in the statement, in bytes
}

// The relationships of a [Join].
const (
	Known          = "known"
	Implied        = "implied"
	NoRelationship = "unknown"
)

// An Aggregate is a value that a statement computes from several rows.
type Aggregate struct {
	Text    string        `json:"aggregate"` // as the statement has it
	Verdict dates.Verdict `json:"verdict"`

	// RowsRepeat says whether a join repeats the rows of the tables whose values are
	// aggregated, within a group. Affected says whether the value can be another one because
	// of the joins: a minimum cannot.
	RowsRepeat Truth `json:"rows_repeat"`
	Affected   Truth `json:"affected"`

	// By are the tables that repeat the rows, or whose join removes some.
	By []string `json:"by,omitempty"`

	// Counts is the table whose rows a count counts. It is empty for pairs of rows of
	// several tables.
	Counts string `json:"counts,omitempty"`

	// Of are the tables whose values are aggregated.
	Of []string `json:"of,omitempty"`

	RestsOn string `json:"rests_on,omitempty"`
	At      int    `json:"at"` // the offset in the statement, in bytes
}

// A Finding is something to do or to say about a statement.
type Finding struct {
	Code     refusal.Code `json:"code"`
	Severity Severity     `json:"severity"`

	// Message says what is the matter, for developers and models. Fix says what to write
	// instead; it may be empty.
	Message string `json:"message"`
	Fix     string `json:"fix,omitempty"`

	// Subject is the part of the statement that the message names. Of are the tables whose
	// rows or values it is about, and By those that repeat or remove them: for programs that
	// write a text of their own.
	Subject string   `json:"subject,omitempty"`
	Of      []string `json:"of,omitempty"`
	By      []string `json:"by,omitempty"`
	At      int      `json:"at"` // the offset in the statement, in bytes

	// Edit is the Fix as a change of the statement, if one is certain.
	Edit *Edit `json:"edit,omitempty"`

	// Probe is a statement that counts the rows that an [InnerJoinOptional] is about, to be
	// passed to the guard. Missing is its result, if somebody ran it.
	Probe   string `json:"probe,omitempty"`
	Missing *int64 `json:"missing,omitempty"`
}

// An Edit replaces a part of a statement.
type Edit struct {
	At     int    `json:"at"`     // in bytes
	Length int    `json:"length"` // of what is replaced, in bytes; 0: Text is inserted
	Text   string `json:"text"`
}

// Count sets the result of the Probe of a finding. If no rows are missing the finding goes,
// and the aggregates that waited for it are proved.
func (r *Report) Count(finding int, missing int64) {
	f := &r.Findings[finding]
	f.Missing = &missing
	if missing > 0 {
		return
	}
	for i := range r.Aggregates {
		a := &r.Aggregates[i]
		if a.Verdict == dates.NotChecked && a.RowsRepeat == No && slices.Equal(a.By, f.By) {
			a.Verdict, a.Affected, a.By, a.RestsOn = dates.Proved, No, nil, "counted: no rows are missing"
		}
	}
	r.Findings = slices.Delete(r.Findings, finding, finding+1)
}
