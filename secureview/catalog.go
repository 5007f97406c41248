package secureview

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/qedkit/qed/internal/ascii"
	"github.com/qedkit/qed/internal/sqlast"
)

const (
	maxCandidates = 5  // names that an error suggests
	maxListed     = 20 // names that a message lists
)

// catalog is a policy made ready for looking up. It does not change.
type catalog struct {
	schema    string
	schemas   map[string]map[string]*sqlast.Object // by folded names; under a table's name and under its view's
	objects   []*sqlast.Object                     // sorted by schema and logical name
	taken     map[string]bool                      // folded names of all tables and views
	columns   map[string][]string                  // tables by the folded name of a readable column
	listed    map[string]bool                      // folded names of all listed columns, readable or not
	functions map[string]bool
	prefix    string // folded

	inMessages int // columns that a message lists
}

func newCatalog(p *Policy, dialect string) (*catalog, error) {
	c := &catalog{
		schema:    p.Schema,
		schemas:   map[string]map[string]*sqlast.Object{},
		taken:     map[string]bool{},
		columns:   map[string][]string{},
		listed:    map[string]bool{},
		functions: map[string]bool{},
		prefix:    ascii.Lower(cmp.Or(p.ViewPrefix, DefaultViewPrefix)),

		inMessages: cmp.Or(p.ColumnsInMessages, 100),
	}
	if c.schema == "" && dialect == "sqlite" {
		c.schema = "main"
	}
	switch {
	case c.schema == "":
		return nil, invalid("schema", "is missing: tables of %s are printed with theirs", dialect)
	case p.RowLimit < 0:
		return nil, invalid("row_limit", "is %d: it cannot be negative", p.RowLimit)
	case p.ColumnsInMessages < 0:
		return nil, invalid("columns_in_messages", "is %d: it cannot be negative", p.ColumnsInMessages)
	case len(p.Tables) == 0 && len(p.Schemas) == 0:
		return nil, invalid("tables", "lists nothing that could be read")
	}
	if err := c.addSchema("", c.schema, Schema{p.Tables, p.Views}); err != nil {
		return nil, err
	}
	for _, name := range slices.Sorted(maps.Keys(p.Schemas)) {
		entry := fmt.Sprintf("schemas[%q]", name)
		if len(p.Schemas[name].Tables) == 0 {
			return nil, invalid(entry, "lists no table")
		}
		if err := c.addSchema(entry+".", name, p.Schemas[name]); err != nil {
			return nil, err
		}
	}
	slices.SortFunc(c.objects, func(a, b *sqlast.Object) int {
		return cmp.Or(cmp.Compare(a.Schema, b.Schema), cmp.Compare(a.Logical, b.Logical))
	})
	for _, o := range c.objects {
		for _, column := range o.Columns {
			c.columns[ascii.Lower(column)] = append(c.columns[ascii.Lower(column)], c.display(o))
		}
	}
	for i, name := range p.Functions {
		if name == "" || strings.ContainsFunc(name, func(r rune) bool { return r >= utf8.RuneSelf || r == ' ' || r == '(' || r == '.' }) {
			return nil, invalid(fmt.Sprintf("functions[%d]", i), "is %q: no name of a function, without a schema", name)
		}
		c.functions[ascii.Lower(name)] = true
	}
	if p.Setup != nil {
		if err := checkSetup(p, dialect, c); err != nil {
			return nil, err
		}
	}
	return c, nil
}

// addSchema checks one schema of a policy and adds its objects. Entries of it are
// named with the prefix at.
func (c *catalog) addSchema(at, schema string, s Schema) error {
	if err := validName(schema); err != nil {
		return invalid(cmp.Or(strings.TrimSuffix(at, "."), "schema"), "%v", err)
	}
	if c.schemas[ascii.Lower(schema)] != nil {
		return invalid(strings.TrimSuffix(at, "."), "is declared already, perhaps in another case")
	}
	tables, err := c.checkTables(at, s.Tables)
	if err != nil {
		return err
	}
	if err := checkViews(at, s.Views, tables); err != nil {
		return err
	}
	objects := map[string]*sqlast.Object{}
	c.schemas[ascii.Lower(schema)] = objects
	add := func(name, logical string, columns []string) {
		o := &sqlast.Object{Schema: schema, Name: name, Logical: logical, Columns: slices.Clone(columns)}
		c.objects = append(c.objects, o)
		objects[ascii.Lower(name)], objects[ascii.Lower(logical)] = o, o
		c.taken[ascii.Lower(name)], c.taken[ascii.Lower(logical)] = true, true
	}
	for name, view := range s.Views {
		columns, ok := s.Tables[view]
		if !ok {
			columns = s.Tables[name]
		}
		add(view, name, columns)
	}
	for name, columns := range s.Tables {
		if objects[ascii.Lower(name)] == nil {
			add(name, name, columns)
		}
	}
	return nil
}

// checkTables returns the names of the tables by their folded form.
func (c *catalog) checkTables(at string, tables map[string][]string) (map[string]string, error) {
	folded := map[string]string{}
	for _, name := range slices.Sorted(maps.Keys(tables)) {
		entry := fmt.Sprintf("%stables[%q]", at, name)
		if err := c.checkTable(entry, name, tables[name]); err != nil {
			return nil, err
		}
		if other, ok := folded[ascii.Lower(name)]; ok {
			return nil, invalid(entry, "differs from %q in the case of letters only", other)
		}
		folded[ascii.Lower(name)] = name
	}
	return folded, nil
}

// checkViews holds that the views of a schema map tables to views one to one,
// none of them to a name that is mapped itself, and that something says which
// columns they have. A name that is also in tables is spelled alike.
func checkViews(at string, views map[string]string, tables map[string]string) error {
	names := slices.Sorted(maps.Keys(views))
	mapped := map[string]bool{}    // folded tables
	logical := map[string]string{} // tables by folded view
	for _, name := range names {
		entry, view := fmt.Sprintf("%sviews[%q]", at, name), views[name]
		if err := cmp.Or(validName(name), validName(view)); err != nil {
			return invalid(entry, "%v", err)
		}
		table, tableListed := tables[ascii.Lower(name)]
		viewAs, viewListed := tables[ascii.Lower(view)]
		other, clash := logical[ascii.Lower(view)]
		switch {
		case mapped[ascii.Lower(name)]:
			return invalid(entry, "is mapped already, but for the case of letters")
		case ascii.Lower(name) == ascii.Lower(view):
			return invalid(entry, "maps a table to itself")
		case clash:
			return invalid(entry, "maps to %q, which stands for %q already", view, other)
		case !tableListed && !viewListed:
			return invalid(entry, "dangles: tables lists neither %q nor %q", name, view)
		case tableListed && table != name:
			return invalid(entry, "is listed in tables as %q: spell it alike", table)
		case viewListed && viewAs != view:
			return invalid(entry, "maps to %q, which tables lists as %q: spell it alike", view, viewAs)
		}
		mapped[ascii.Lower(name)], logical[ascii.Lower(view)] = true, name
	}
	for _, name := range names {
		if mapped[ascii.Lower(views[name])] {
			return invalid(fmt.Sprintf("%sviews[%q]", at, name), "maps to %q, which is mapped itself", views[name])
		}
	}
	return nil
}

func (c *catalog) checkTable(entry, name string, columns []string) error {
	if err := validName(name); err != nil {
		return invalid(entry, "%v", err)
	}
	if len(columns) == 0 {
		return invalid(entry, "lists no column")
	}
	seen := map[string]bool{}
	for _, column := range columns {
		if column == "*" {
			return invalid(entry, "lists *, which stands for no column here: list each that may be read")
		}
		if err := validName(column); err != nil {
			return invalid(entry, "column %q %v", column, err)
		}
		if seen[ascii.Lower(column)] {
			return invalid(entry, "lists column %q twice, perhaps in another case", column)
		}
		seen[ascii.Lower(column)] = true
		c.listed[ascii.Lower(column)] = true
	}
	return nil
}

func validName(name string) error {
	switch {
	case name == "":
		return fmt.Errorf("has an empty name")
	case !utf8.ValidString(name) || strings.ContainsFunc(name, func(r rune) bool { return r < ' ' || r == 0x7f }):
		return fmt.Errorf("has a name with control characters or invalid UTF-8: %q", name)
	}
	return nil
}

// display is how a statement names an object.
func (c *catalog) display(o *sqlast.Object) string {
	if o.Schema == c.schema {
		return o.Logical
	}
	return o.Schema + "." + o.Logical
}
