package esquery

import (
	"encoding/json"
	"slices"

	"github.com/qedkit/qed/refusal"
)

// The codes of problems, in the order in which a [Report] lists them. A problem
// with one of the first codes can hide later ones, because a malformed part of a
// body is not checked further.
const (
	// ErrInvalidJSON: the body is not JSON as RFC 8259 defines it.
	ErrInvalidJSON refusal.Code = "invalid_json"
	// ErrBodyTooLarge: the body is longer or deeper than the limits allow.
	ErrBodyTooLarge refusal.Code = "too_large"
	// ErrDuplicateKey: an object has the same key twice; engines use one of them.
	ErrDuplicateKey refusal.Code = "duplicate_key"
	// ErrUnknownKey: a key, query or aggregation that does not exist here.
	ErrUnknownKey refusal.Code = "unknown_key"
	// ErrMalformed: something is missing, has the wrong type, or is given twice.
	ErrMalformed refusal.Code = "malformed"

	// ErrScript: a script.
	ErrScript refusal.Code = "script"
	// ErrForbidden: something that reads other documents or indices, has no bound
	// on its cost, or cannot be checked: runtime_mappings, a terms lookup,
	// query_string, profile.
	ErrForbidden refusal.Code = "forbidden"
	// ErrFilterBypass: something that would reach around the mandatory filter.
	ErrFilterBypass refusal.Code = "filter_bypass"

	// ErrUnknownIndex: an index that the [Validator] does not have.
	ErrUnknownIndex refusal.Code = "unknown_index"
	// ErrUnknownField: a field that the mapping does not have. The candidates are
	// fields.
	ErrUnknownField refusal.Code = "unknown_field"
	// ErrFieldType: a field that cannot be used like this, such as a term query on
	// a text. The candidates are fields or queries that fit.
	ErrFieldType refusal.Code = "field_type"
	// ErrIndicesDiffer: a field that the indices of an alias read differently, so that
	// only some of them would answer. The candidates are these indices if each may be
	// searched by its own name: see [NewValidator].
	ErrIndicesDiffer refusal.Code = "indices_differ"
	// ErrNestedPath: a field of a nested object outside of its nested query,
	// aggregation or sort, or the reverse.
	ErrNestedPath refusal.Code = "nested_path"
	// ErrInvalidLiteral: a value that finds nothing, or that engines read as
	// another value than it looks like.
	ErrInvalidLiteral refusal.Code = "invalid_literal"
	// ErrTooExpensive: more hits, buckets or work than a search may ask for.
	ErrTooExpensive refusal.Code = "too_expensive"
)

// order lists the codes in the order of a report.
var order = []refusal.Code{
	ErrInvalidJSON, ErrBodyTooLarge, ErrDuplicateKey, ErrUnknownKey, ErrMalformed, ErrScript, ErrForbidden,
	ErrFilterBypass, ErrUnknownIndex, ErrUnknownField, ErrFieldType, ErrIndicesDiffer, ErrNestedPath, ErrInvalidLiteral, ErrTooExpensive,
}

// A Verdict says whether a body may be sent. It is no verdict on an answer: those are proved,
// contradicted or not checked.
type Verdict string

const (
	OK      Verdict = "ok"      // the body may be sent
	Fixed   Verdict = "fixed"   // the corrected body may be sent; each problem has a Fix
	Refused Verdict = "refused" // the body must not be sent
)

// A Report is the result of [Validator.Check].
type Report struct {
	Verdict Verdict `json:"verdict"`

	// Problems are ordered by their codes, then by their location in the body.
	// Their paths point into the body as it was written.
	Problems []refusal.Problem `json:"problems,omitempty"`

	search    *Search
	corrected json.RawMessage
}

// Search returns the search that may be run. If the body was refused, the error
// is a [*refusal.Error].
func (r *Report) Search() (*Search, error) {
	if r.search == nil {
		return nil, refuse(r.Problems)
	}
	return r.search, nil
}

// Body returns the body that may be sent; nil if it was refused.
func (r *Report) Body() json.RawMessage {
	if r.search == nil {
		return nil
	}
	return r.search.Body()
}

// Corrected returns the body as its author wrote it, with the corrections, and without
// the mandatory filter and other parts that the Validator adds. It can be checked
// again, also for another caller. It is nil if the body was not fixed.
func (r *Report) Corrected() json.RawMessage { return r.corrected }

func refuse(problems []refusal.Problem) error {
	return &refusal.Error{Package: "esquery", Problems: problems}
}

// verdict sorts the problems and returns the verdict that follows from them.
func (c *checker) verdict() Verdict {
	if len(c.problems) == 0 {
		return OK
	}
	slices.SortStableFunc(c.problems, func(a, b refusal.Problem) int {
		return slices.Index(order, a.Code) - slices.Index(order, b.Code)
	})
	if c.faults > 0 {
		return Refused
	}
	return Fixed
}
