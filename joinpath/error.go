package joinpath

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/qedkit/qed/refusal"
)

// The codes of the problems in a [*refusal.Error] of this package, for
// errors.Is. Every error of this package that is not an I/O error or the error
// of a context is a *refusal.Error.
const (
	// ErrSchema: a schema or its JSON form breaks a rule. The error has one
	// problem for each broken rule, at most 100. Problem.Path is the JSON
	// Pointer of the table or relationship, such as /relationships/3.
	ErrSchema refusal.Code = "invalid_schema"

	// ErrUnknownTable: a graph has no such table, or a plan no such alias. The
	// error has one problem for each unknown name.
	ErrUnknownTable refusal.Code = "unknown_table"

	// ErrNoPath: two tables are not connected by [Options.MaxHops] joins or
	// fewer.
	ErrNoPath refusal.Code = "no_path"

	// ErrDisconnected: tables are not connected, by any number of joins. The
	// message lists the groups of tables that are; [Graph.Components] returns
	// them. The error matches [ErrNoPath] as well.
	ErrDisconnected refusal.Code = "disconnected"

	// ErrArgument: an argument or an option is out of range.
	ErrArgument refusal.Code = "invalid_argument"

	// ErrJoin: a verdict on a relationship cannot be used.
	ErrJoin refusal.Code = "invalid_join"
)

const (
	maxProblems   = 100 // problems of one error about a schema
	maxHints      = 10  // problems of one error that get candidates: each search compares all names
	maxCandidates = 3
	maxQuoted     = 10 // names in one message
)

// refuse returns an error with one problem.
func refuse(code refusal.Code, format string, args ...any) error {
	return &refusal.Error{Package: "joinpath", Problems: []refusal.Problem{{
		Code: code, Message: fmt.Sprintf(format, args...),
	}}}
}

// unknownName returns the problem of a table or alias that does not exist.
func unknownName(name string, known []string, hint bool, what string) refusal.Problem {
	p := refusal.Problem{Code: ErrUnknownTable, Name: name, Message: fmt.Sprintf("no %s %q", what, name)}
	if hint {
		p.Candidates = refusal.Nearest(name, known, maxCandidates)
	}
	return p
}

// report collects what is wrong with a schema.
type report struct {
	problems []refusal.Problem
	hints    int // problems that have got candidates
}

func (r *report) full() bool { return len(r.problems) == maxProblems }

func (r *report) add(path, format string, args ...any) {
	if !r.full() {
		r.problems = append(r.problems, refusal.Problem{
			Code: ErrSchema, Path: path, Message: fmt.Sprintf(format, args...),
		})
	}
}

// unknown adds a problem about a name that is not one of known.
func (r *report) unknown(path, name string, known []string, format string, args ...any) {
	if r.full() {
		return
	}
	r.add(path, format, args...)
	p := &r.problems[len(r.problems)-1]
	p.Name = name
	if r.hints < maxHints {
		r.hints++
		p.Candidates = refusal.Nearest(name, known, maxCandidates)
	}
}

func (r *report) err() error {
	if len(r.problems) == 0 {
		return nil
	}
	return &refusal.Error{Package: "joinpath", Problems: r.problems}
}

// The JSON Pointers of tables and relationships.
func tablePath(name string) string  { return "/tables/" + escapePointer.Replace(name) }
func relationshipPath(i int) string { return "/relationships/" + strconv.Itoa(i) }

var escapePointer = strings.NewReplacer("~", "~0", "/", "~1")

// quoteNames quotes names, so that no name is taken for a part of the message.
func quoteNames(names []string) string {
	var b strings.Builder
	for i, n := range names {
		if i == maxQuoted {
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
