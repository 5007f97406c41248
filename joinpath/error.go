package joinpath

import (
	"errors"
	"fmt"
	"strings"

	"github.com/qedkit/qed/refusal"
)

// What can go wrong. Every error of this package that is about its input is an
// [*Error] that wraps one of these.
var (
	// ErrSchema: a schema or its JSON form breaks a rule. [Error.Problems] lists
	// what is wrong.
	ErrSchema = errors.New("the schema is not valid")
	// ErrUnknownTable: a table is not in the graph. [Error.Candidates] holds the
	// nearest names.
	ErrUnknownTable = errors.New("unknown table")
	// ErrNoPath: no path within the hop limit joins two tables.
	ErrNoPath = errors.New("no join path")
	// ErrDisconnected: tables share no path at all. [Error.Components] tells
	// which of them belong together.
	ErrDisconnected = errors.New("tables are not connected")
	// ErrArgument: an argument or an option is outside its range.
	ErrArgument = errors.New("argument out of range")
	// ErrJoin: a relationship or an alias does not fit the plan it is used on.
	ErrJoin = errors.New("does not fit the plan")
)

// Error is what this package reports about its input. Use [errors.Is] with one
// of the sentinels to tell the kinds apart.
type Error struct {
	// Err is the sentinel.
	Err error
	// Tables are the names at fault.
	Tables []string
	// Candidates are existing names near the unknown one, best first.
	Candidates []string
	// Components are the asked tables, grouped by what can be joined.
	Components [][]string
	// Problems are the broken rules of a schema, at most 100 of them.
	Problems []Problem
	// Detail says more, for people.
	Detail string
}

// Problem is one broken rule of a schema.
type Problem struct {
	// Entry names the table or relationship, such as
	// "relationships[3] (workTime.employeeId -> employee.id)".
	Entry string
	// Message says what is wrong with it.
	Message string
}

func (p Problem) String() string {
	if p.Entry == "" {
		return p.Message
	}
	return p.Entry + ": " + p.Message
}

// Unwrap returns the sentinel.
func (e *Error) Unwrap() error { return e.Err }

// Is makes tables that are not connected count as tables without a path.
func (e *Error) Is(target error) bool {
	return target == ErrNoPath && e.Err == ErrDisconnected
}

func (e *Error) Error() string {
	var b strings.Builder
	fmt.Fprintf(&b, "joinpath: %v", e.Err)
	if len(e.Tables) > 0 {
		fmt.Fprintf(&b, ": %s", quoteNames(e.Tables))
	}
	if e.Detail != "" {
		fmt.Fprintf(&b, ": %s", e.Detail)
	}
	if len(e.Candidates) > 0 {
		fmt.Fprintf(&b, "; did you mean %s?", quoteNames(e.Candidates))
	}
	for i, c := range e.Components {
		sep := ": "
		if i > 0 {
			sep = " | "
		}
		b.WriteString(sep + quoteNames(c))
	}
	for i, p := range e.Problems {
		if i == maxShown {
			fmt.Fprintf(&b, "; and %d more", len(e.Problems)-i)
			break
		}
		sep := ": "
		if i > 0 {
			sep = "; "
		}
		b.WriteString(sep + p.String())
	}
	return b.String()
}

const (
	maxProblems = 100 // kept in an Error
	maxShown    = 10  // written out in a message

	maxCandidates = 3
)

// quoteNames writes names so that no name can pass for part of the message.
func quoteNames(names []string) string {
	var b strings.Builder
	for i, n := range names {
		if i == maxShown {
			fmt.Fprintf(&b, " and %d more", len(names)-i)
			break
		}
		if i > 0 {
			b.WriteString(", ")
		}
		fmt.Fprintf(&b, "%q", n)
	}
	return b.String()
}

// problems collects broken rules up to a bound.
type problems []Problem

func (p *problems) add(entry, format string, args ...any) {
	if len(*p) < maxProblems {
		*p = append(*p, Problem{Entry: entry, Message: fmt.Sprintf(format, args...)})
	}
}

func (p problems) err() error {
	if len(p) == 0 {
		return nil
	}
	return &Error{Err: ErrSchema, Problems: p}
}

// didYouMean ends a message about an unknown name.
func didYouMean(name string, names []string) string {
	if near := refusal.Nearest(name, names, maxCandidates); len(near) > 0 {
		return "; did you mean " + quoteNames(near) + "?"
	}
	return ""
}
