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
)

// Check turns the text of a query and the JSON object of its variables, which
// may be nil, into a [Query] that may be sent, or refuses it with an [*Error].
// Whatever they hold, the time that it takes is bounded.
func (g *Guard) Check(query string, variables json.RawMessage) (*Query, error) {
	c := &check{guard: g, fragments: map[string]*ast.FragmentDefinition{}, seen: map[finding]bool{}, options: map[place]near{}}
	if err := c.read(query); err != nil {
		return nil, err
	}
	vars, err := readVariables(variables, g.opt.MaxBytes)
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
	fragments map[string]*ast.FragmentDefinition
	variables map[string]any
	own       map[string]bool // variables that code has put in: it has checked their values

	depth, cost int
	fields      map[string]bool // "Type.field"

	problems []pending
	seen     map[finding]bool // the walker comes by fragments more than once
	options  map[place]near   // candidates for what the rules will find at a place
}

type (
	place   struct{ line, column int }
	finding struct {
		code    Code
		at      place
		message string
	}
)

func at(pos *ast.Position) place {
	if pos == nil {
		return place{}
	}
	return place{pos.Line, pos.Column}
}

// full says that no more problems are kept: what is beyond a few is not even collected.
func (c *check) full() bool { return len(c.seen) >= 10*maxProblems }

// add keeps a problem.
func (c *check) add(code Code, pos place, meant near, format string, args ...any) {
	if c.full() {
		return
	}
	f := finding{code, pos, clip(fmt.Sprintf(format, args...), maxMessage)}
	if c.seen[f] {
		return
	}
	c.seen[f] = true
	c.problems = append(c.problems, pending{Problem{Code: code, Line: pos.line, Column: pos.column, Message: f.message}, meant})
}

// read parses the text, and leaves one query.
func (c *check) read(text string) error {
	limit := &c.guard.opt
	switch {
	case len(text) > limit.MaxBytes:
		return refused(ErrTooLarge, "", "the query is longer than %d bytes", limit.MaxBytes)
	case !utf8.ValidString(text) || strings.ContainsRune(text, 0):
		return refused(ErrInvalidText, "", "the query is not UTF-8, or has a NUL byte")
	}
	doc, err := parser.ParseQueryWithTokenLimit(&ast.Source{Input: text}, limit.MaxTokens)
	if err != nil {
		return syntaxError(err)
	}
	if len(doc.Operations) != 1 {
		return refused(ErrOperations, "", "the text must be exactly one query, and has %d operations", len(doc.Operations))
	}
	c.doc, c.operation = doc, doc.Operations[0]
	if op := c.operation; op.Operation != ast.Query {
		return &Error{Problems: []Problem{{Code: ErrNotQuery, Line: op.Position.Line, Column: op.Position.Column, Message: fmt.Sprintf("only a query may be sent, no %s", op.Operation)}}}
	}
	for _, f := range doc.Fragments {
		if len(f.VariableDefinition) > 0 {
			c.add(ErrUnsupported, at(f.Position), near{}, "the fragment %q declares variables: declare them in the query", clip(f.Name, 80))
			return c.refusal()
		}
		if c.fragments[f.Name] == nil {
			c.fragments[f.Name] = f
		}
	}
	return nil
}

func syntaxError(err error) error {
	problem := Problem{Code: ErrSyntax, Message: clip(err.Error(), maxMessage)}
	var e *gqlerror.Error
	if errors.As(err, &e) {
		problem.Message = clip(e.Message, maxMessage)
		if len(e.Locations) > 0 {
			problem.Line, problem.Column = e.Locations[0].Line, e.Locations[0].Column
		}
	}
	if strings.Contains(problem.Message, "exceeded token limit") {
		problem.Code = ErrTooLarge
	}
	if strings.Contains(problem.Message, "exceeded maximum nesting depth") {
		problem.Code = ErrTooDeep
	}
	return &Error{Problems: []Problem{problem}}
}

// values checks what was given for the variables, by their declarations.
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
			co.fail("$"+d.Variable, near{}, "the variable $%s of type %s has no value", d.Variable, d.Type)
		}
	}
	declared := c.declared()
	for _, name := range slices.Sorted(maps.Keys(c.variables)) {
		if !c.own[name] && !slices.Contains(declared, name) {
			co.fail("$"+clip(name, 80), near{name: name, names: c.declared}, "a value is given for $%s, which the query does not declare", clip(name, 80))
		}
	}
	c.problems = append(c.problems, co.problems...)
}

// declared are the names of the variables that the text declares.
func (c *check) declared() []string {
	var names []string
	for _, d := range c.operation.VariableDefinitions {
		if !c.own[d.Variable] {
			names = append(names, d.Variable)
		}
	}
	return names
}

// query prints what was checked.
func (c *check) query() (*Query, error) {
	q := &Query{text: print(c.doc), depth: c.depth, cost: c.cost, fields: slices.Sorted(maps.Keys(c.fields))}
	if !utf8.ValidString(q.text) {
		return nil, refused(ErrInvalidText, "", "an escape in a string is no character")
	}
	if len(c.variables) > 0 {
		raw, err := json.Marshal(c.variables)
		if err != nil {
			return nil, refused(ErrVariable, "variables", "the variables have no JSON form")
		}
		q.variables = raw
	}
	return q, nil
}

// refusal puts the problems in the order of the text, and says where they are.
func (c *check) refusal() error {
	slices.SortStableFunc(c.problems, func(a, b pending) int {
		return cmp.Or(cmp.Compare(a.Line, b.Line), cmp.Compare(a.Column, b.Column))
	})
	c.problems = c.problems[:min(len(c.problems), maxProblems)]
	paths := pathsOf(c.doc)
	told := tell(c.problems)
	for i := range told {
		if p := &told[i]; p.Path == "" {
			p.Path = clip(paths[place{p.Line, p.Column}], maxMessage)
		}
	}
	return &Error{Problems: told}
}
