package esquery

import (
	"encoding/json"
	"errors"
	"strconv"
	"strings"
)

// Code says what kind of problem it is. A code keeps its meaning between versions.
type Code string

// The codes, in the order in which problems are told. A problem of the first ones
// can hide some of a later one, as what is malformed is not looked into.
const (
	// InvalidJSON: the body is not JSON, or not as RFC 8259 has it.
	InvalidJSON Code = "invalid_json"
	// TooLarge: the body is longer or deeper than it may be.
	TooLarge Code = "too_large"
	// DuplicateKey: an object has a key twice, of which one would be lost.
	DuplicateKey Code = "duplicate_key"
	// UnknownKey: a key, query or aggregation that does not exist there.
	UnknownKey Code = "unknown_key"
	// Malformed: something is missing, of another type, or there twice.
	Malformed Code = "malformed"

	// Script: a script, wherever it stands.
	Script Code = "script"
	// Forbidden: what reads other documents or indices, costs without bounds, or
	// cannot be checked: runtime_mappings, terms lookup, query_string, profile.
	Forbidden Code = "forbidden"
	// FilterBypass: what would reach around the mandatory filter.
	FilterBypass Code = "filter_bypass"

	// UnknownIndex: an index that is not on the list, by whatever way it is named.
	UnknownIndex Code = "unknown_index"
	// UnknownField: a field that the mapping does not have. The candidates are fields.
	UnknownField Code = "unknown_field"
	// FieldType: a field that cannot be used in this way, such as a term on a text.
	// The candidates are fields or queries that can.
	FieldType Code = "field_type"
	// NestedPath: a field of a nested object outside of its nested query,
	// aggregation or sort, or the reverse.
	NestedPath Code = "nested_path"
	// InvalidLiteral: a value that the field's type or format does not take.
	InvalidLiteral Code = "invalid_literal"
	// TooExpensive: more hits, buckets or work than a search may ask for.
	TooExpensive Code = "too_expensive"
)

// order is the place of a code in a report.
func (c Code) order() int {
	switch c {
	case InvalidJSON:
		return 0
	case TooLarge:
		return 1
	case DuplicateKey:
		return 2
	case UnknownKey:
		return 3
	case Malformed:
		return 4
	case Script:
		return 5
	case Forbidden:
		return 6
	case FilterBypass:
		return 7
	case UnknownIndex:
		return 8
	case UnknownField:
		return 9
	case FieldType:
		return 10
	case NestedPath:
		return 11
	case InvalidLiteral:
		return 12
	default:
		return 13
	}
}

// Problem is one thing that is wrong with a body.
type Problem struct {
	Code Code `json:"code"`
	// Path says where, as a JSON Pointer (RFC 6901) into the body as it was
	// written. Empty means the body as a whole, or the index.
	Path string `json:"path"`
	// Message says what is wrong and what would be right. It may repeat names and
	// literals of the body, cut short, and never those of a document.
	Message string `json:"message"`
	// Candidates are what could have been meant, the likeliest first.
	Candidates []string `json:"candidates,omitempty"`
	// Fix is what was put in the place of what was wrong, where that was beyond
	// doubt. Empty means that the body is refused.
	Fix string `json:"fix,omitempty"`
}

// Verdict is what a [Validator] says of a body.
type Verdict string

const (
	OK      Verdict = "ok"      // it may be sent
	Fixed   Verdict = "fixed"   // it may be sent as it was mended; each problem says how
	Refused Verdict = "refused" // it must not be sent
)

// Report is what a [Validator] says of a body, with the body that may be sent.
type Report struct {
	Verdict  Verdict   `json:"verdict"`
	Problems []Problem `json:"problems,omitempty"` // in the order of the codes, then of the body

	search *Search
}

// Search returns what may be run, or an [*Error] that matches [ErrRefused].
func (r *Report) Search() (*Search, error) {
	if r.search == nil {
		return nil, &Error{Problems: r.Problems}
	}
	return r.search, nil
}

// Body returns what may be sent, printed anew; nil where it was refused.
func (r *Report) Body() json.RawMessage {
	if r.search == nil {
		return nil
	}
	return r.search.Body()
}

// ErrRefused is matched by every [*Error].
var ErrRefused = errors.New("esquery: the search is refused")

// Error is a body that was refused, and why.
type Error struct {
	Problems []Problem
}

// Error says what is wrong, the most basic first, and what could have been meant.
func (e *Error) Error() string { return ErrRefused.Error() + told(e.Problems) }

// told is what follows in an error that these are the reason of.
func told(problems []Problem) string {
	var b strings.Builder
	for i, p := range problems {
		if i == maxProblemsInError {
			b.WriteString("; and " + strconv.Itoa(len(problems)-i) + " more")
			break
		}
		sep := "; "
		if i == 0 {
			sep = ": "
		}
		b.WriteString(sep)
		if p.Path != "" {
			b.WriteString(p.Path + ": ")
		}
		b.WriteString(p.Message)
		if len(p.Candidates) > 0 {
			b.WriteString(" (perhaps " + strings.Join(p.Candidates, ", ") + ")")
		}
	}
	return b.String()
}

const maxProblemsInError = 3

// Is reports whether target is [ErrRefused].
func (e *Error) Is(target error) bool { return target == ErrRefused }
