package secureview

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/qedkit/qed/internal/ascii"
	"github.com/qedkit/qed/internal/lists"
	"github.com/qedkit/qed/internal/sqlast"
	"github.com/qedkit/qed/refusal"
)

// Object returns the object that a name means.
func (c *catalog) Object(schema, name string) (*sqlast.Object, *sqlast.Error) {
	schema = cmp.Or(schema, c.schema)
	objects, ok := c.schemas[ascii.Lower(schema)]
	if !ok {
		return nil, c.unknownSchema(schema, name)
	}
	if o := objects[ascii.Lower(name)]; o != nil {
		return o, nil
	}
	return nil, c.unknownTable(name)
}

// Taken reports whether a table or view has the name.
func (c *catalog) Taken(name string) bool { return c.taken[ascii.Lower(name)] }

// TablesWith returns the tables that have a readable column with the name.
func (c *catalog) TablesWith(column string) []string { return c.columns[ascii.Lower(column)] }

// MeansString reports whether a double-quoted name that no column in scope has is
// a string.
func (c *catalog) MeansString(name string) bool {
	return c.doubleQuotedStrings && !c.listed[ascii.Lower(name)]
}

// MaxListed returns the largest number of columns that a message lists.
func (c *catalog) MaxListed() int { return c.columnsInMessages }

func (c *catalog) unknownSchema(schema, name string) *sqlast.Error {
	var schemas []string
	for _, o := range c.objects {
		schemas = lists.Add(schemas, o.Schema)
	}
	e := &sqlast.Error{Code: sqlast.UnknownSchema, Name: schema,
		Message: fmt.Sprintf("schema '%s' of table '%s' cannot be read; declared: %s",
			schema, name, strings.Join(schemas, ", "))}
	for _, o := range c.objects {
		if ascii.Lower(o.Logical) == ascii.Lower(name) && len(e.Candidates) < maxCandidates {
			e.Candidates = append(e.Candidates, c.display(o))
		}
	}
	return e
}

func (c *catalog) unknownTable(name string) *sqlast.Error {
	e := &sqlast.Error{Code: sqlast.UnknownTable, Name: name, Candidates: c.tablesLike(name)}
	e.Message = fmt.Sprintf("table '%s' does not exist", name)
	rest, isView := strings.CutPrefix(ascii.Lower(name), c.viewPrefix)
	if isView {
		e.Code = sqlast.UnknownView
		e.Message = fmt.Sprintf("secure view '%s' does not exist", name)
	}
	if o := c.schemas[ascii.Lower(c.schema)][rest]; isView && o != nil {
		own := c.display(o)
		e.Message += fmt.Sprintf(": write '%s'", own)
		others := slices.DeleteFunc(e.Candidates, func(s string) bool { return s == own })
		e.Candidates = append([]string{own}, others...)
	} else if len(e.Candidates) > 0 {
		e.Message += "; did you mean: " + strings.Join(e.Candidates, ", ")
	} else if isView {
		e.Message += c.views()
	}
	return e
}

// views lists the secure views, as the end of a message.
func (c *catalog) views() string {
	var names []string
	for _, o := range c.objects {
		if o.Name != o.Logical && len(names) < maxListed {
			names = append(names, o.Name)
		}
	}
	if names == nil {
		return "; there are no secure views"
	}
	return "; the views are: " + strings.Join(names, ", ")
}

// tablesLike returns tables that may have been meant, best first: the same name in
// another schema, then similar names, then names that contain name or are
// contained in it.
func (c *catalog) tablesLike(name string) []string {
	var same, names, containing []string
	key := ascii.Lower(name)
	bare := strings.TrimPrefix(key, c.viewPrefix)
	for _, o := range c.objects {
		logical := ascii.Lower(o.Logical)
		switch {
		case logical == key && len(same) < maxCandidates:
			same = append(same, c.display(o))
		case len(bare) < 4 || len(logical) < 4 || len(containing) == maxCandidates: // most names contain a short one
		case strings.Contains(logical, bare) || strings.Contains(bare, logical):
			containing = append(containing, c.display(o))
		}
		if o.Schema != c.schema {
			continue
		}
		names = append(names, o.Logical)
		if o.Name != o.Logical && bare != key {
			names = append(names, o.Name) // name looks like a view, so suggest views too
		}
	}
	found := lists.Add(nil, slices.Concat(same, refusal.Nearest(name, names, maxCandidates), containing)...)
	return found[:min(len(found), maxCandidates)]
}
