package graphql

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/vektah/gqlparser/v2/ast"
	"github.com/vektah/gqlparser/v2/gqlerror"
	"github.com/vektah/gqlparser/v2/parser"

	"github.com/qedkit/qed/refusal"
)

// Check returns the [Query] that may be sent for the text of a query and the JSON
// object of its variables, which may be nil. It refuses anything else with a
// [*refusal.Error]. The time that Check takes is bounded for every input.
func (g *Guard) Check(query string, variables json.RawMessage) (*Query, error) {
	c := &check{
		guard: g, seen: map[finding]bool{}, meant: map[position]meant{},
	}
	if err := c.parse(query); err != nil {
		return nil, err
	}
	vars, err := readVariables(variables, maxBytes)
	if err != nil {
		return nil, err
	}
	c.variables, c.own = vars, map[string]bool{}
	for _, step := range []func(){c.measure, c.fix, c.validate, c.values, c.price} {
		if step(); len(c.problems) > 0 {
			return nil, c.refusal()
		}
	}
	return c.query()
}

// check is the state of one call of [Guard.Check].
type check struct {
	guard     *Guard
	doc       *ast.QueryDocument
	operation *ast.OperationDefinition
	variables map[string]any
	own       map[string]bool // variables of fixed arguments: NewGuard checked their values

	cost   int
	fields map[string]bool // "Type.field"

	problems []pending
	seen     map[finding]bool   // rules can find the same
	meant    map[position]meant // for problems that the rules find at a position
}

type (
	position struct{ line, column int }
	finding  struct {
		code    refusal.Code
		at      position
		message string
	}
)

func at(pos *ast.Position) position {
	if pos == nil {
		return position{}
	}
	return position{pos.Line, pos.Column}
}

// full reports whether enough problems were found to stop collecting.
func (c *check) full() bool { return len(c.seen) >= 10*maxProblems }

// add records a problem, unless it is recorded already.
func (c *check) add(code refusal.Code, pos position, m meant, format string, args ...any) {
	if c.full() {
		return
	}
	f := finding{code, pos, clip(fmt.Sprintf(format, args...), maxMessage)}
	if c.seen[f] {
		return
	}
	c.seen[f] = true
	problem := refusal.Problem{
		Code: code, Name: clip(m.name, 80), Line: pos.line, Column: pos.column, Message: f.message,
	}
	c.problems = append(c.problems, pending{problem, m})
}

// parse parses the text, which must be exactly one query.
func (c *check) parse(text string) error {
	switch {
	case len(text) > maxBytes:
		return refused(ErrTooLarge, "", "the query is longer than %d bytes", maxBytes)
	case !utf8.ValidString(text) || strings.ContainsRune(text, 0):
		return refused(ErrSyntax, "", "the query is not UTF-8, or has a NUL byte")
	}
	doc, err := parser.ParseQueryWithTokenLimit(&ast.Source{Input: text}, maxTokens)
	if err != nil {
		return syntaxError(err)
	}
	if len(doc.Operations) != 1 {
		return refused(ErrNotAllowed, "",
			"the text must be exactly one query, but it has %d operations", len(doc.Operations))
	}
	c.doc, c.operation = doc, doc.Operations[0]
	if op := c.operation; op.Operation != ast.Query {
		return refusedFor(refusal.Problem{
			Code: ErrNotAllowed, Line: op.Position.Line, Column: op.Position.Column,
			Message: fmt.Sprintf("only a query may be sent, not a %s", op.Operation),
		})
	}
	if len(doc.Fragments) > 0 {
		f := doc.Fragments[0]
		return refusedFor(refusal.Problem{
			Code: ErrNotAllowed, Line: f.Position.Line, Column: f.Position.Column,
			Message: fmt.Sprintf("named fragments are not supported: write the fields of %q in its place, or ... on %s { }",
				clip(f.Name, 80), clip(f.TypeCondition, 80)),
		})
	}
	return nil
}

func syntaxError(err error) error {
	problem := parserProblem(ErrSyntax, "", err)
	if strings.Contains(problem.Message, "exceeded token limit") ||
		strings.Contains(problem.Message, "exceeded maximum nesting depth") {
		problem.Code = ErrTooLarge
	}
	return refusedFor(problem)
}

// parserProblem returns the problem that an error of the parser describes. prefix
// is the beginning of the message.
func parserProblem(code refusal.Code, prefix string, err error) refusal.Problem {
	problem := refusal.Problem{Code: code, Message: clip(prefix+strings.TrimPrefix(err.Error(), "schema:"), maxMessage)}
	if e, ok := errors.AsType[*gqlerror.Error](err); ok {
		problem.Message = clip(prefix+e.Message, maxMessage)
		if len(e.Locations) > 0 {
			problem.Line, problem.Column = e.Locations[0].Line, e.Locations[0].Column
		}
	}
	return problem
}

// values checks the values of the variables against their declarations.
func (c *check) values() {
	co := coercer{schema: c.guard.schema}
	for _, d := range c.operation.VariableDefinitions {
		if c.own[d.Variable] {
			continue
		}
		v, given := c.variables[d.Variable]
		switch {
		case given:
			co.value("$"+d.Variable, d.Type, v)
		case d.Type.NonNull && d.DefaultValue == nil:
			co.fail("$"+d.Variable, meant{}, "the variable of type %s has no value", d.Type)
		}
	}
	declared := c.declared()
	for _, name := range slices.Sorted(maps.Keys(c.variables)) {
		if !c.own[name] && !slices.Contains(declared, name) {
			co.fail("$"+clip(name, 80), meant{name: name, names: c.declared},
				"the variable has a value, but the query does not declare it")
		}
	}
	c.problems = append(c.problems, co.problems...)
}

// declared returns the names of the variables that the text declares.
func (c *check) declared() []string {
	var names []string
	for _, d := range c.operation.VariableDefinitions {
		if !c.own[d.Variable] {
			names = append(names, d.Variable)
		}
	}
	return names
}

// query returns the Query, printed from the tree that was checked.
func (c *check) query() (*Query, error) {
	q := &Query{
		text:      printQuery(c.doc),
		cost:      c.cost,
		fields:    slices.Sorted(maps.Keys(c.fields)),
		selection: c.operation.SelectionSet,
	}
	if !utf8.ValidString(q.text) {
		return nil, refused(ErrSyntax, "", "an escape in a string is not a valid character")
	}
	if len(c.variables) > 0 {
		raw, err := json.Marshal(c.variables)
		if err != nil {
			return nil, refused(ErrInvalid, "variables", "the variables cannot be written as JSON")
		}
		q.variables = raw
	}
	return q, nil
}

// refusal returns the problems in the order of the text.
func (c *check) refusal() error {
	slices.SortStableFunc(c.problems, func(a, b pending) int {
		return cmp.Or(cmp.Compare(a.Line, b.Line), cmp.Compare(a.Column, b.Column))
	})
	c.problems = c.problems[:min(len(c.problems), maxProblems)]
	return refusedFor(withCandidates(c.problems)...)
}
