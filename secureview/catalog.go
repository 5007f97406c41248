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
	"github.com/qedkit/qed/secureview/dialect"
)

const (
	maxCandidates = 5  // names that a problem suggests
	maxListed     = 20 // views that a message lists
)

// A catalog is a checked policy, indexed by names in lower case. It is immutable
// and implements [sqlast.Catalog].
type catalog struct {
	schema     string
	schemas    map[string]map[string]*sqlast.Object // by schema, then by the names of both table and view
	objects    []*sqlast.Object                     // sorted by schema and logical name
	taken      map[string]bool                      // the names of all tables and views
	columns    map[string][]string                  // tables by the name of a readable column
	listed     map[string]bool                      // the names of all listed columns, readable or not
	functions  map[string]bool
	filters    map[*sqlast.Object]string // conditions, as the policy has them
	local      []string                  // settings of filters that the database does not need
	viewPrefix string

	columnsInMessages   int
	doubleQuotedStrings bool
}

func newCatalog(p *Policy, dialectName string) (*catalog, error) {
	c := &catalog{
		schema:    p.Schema,
		schemas:   map[string]map[string]*sqlast.Object{},
		taken:     map[string]bool{},
		columns:   map[string][]string{},
		listed:    map[string]bool{},
		functions: map[string]bool{},
		filters:   map[*sqlast.Object]string{},

		viewPrefix:          ascii.Lower(cmp.Or(p.ViewPrefix, DefaultViewPrefix)),
		columnsInMessages:   cmp.Or(p.ColumnsInMessages, defaultColumnsInMessages),
		doubleQuotedStrings: p.DoubleQuotedStrings,
	}
	if c.schema == "" && (dialectName == "sqlite" || dialectName == "duckdb") {
		c.schema = "main"
	}
	switch {
	case c.schema == "":
		return nil, invalid("schema", "is missing: only sqlite and duckdb have a default schema")
	case p.RowLimit < 0:
		return nil, invalid("row_limit", "is %d: it must not be negative", p.RowLimit)
	case p.ColumnsInMessages < 0:
		return nil, invalid("columns_in_messages", "is %d: it must not be negative", p.ColumnsInMessages)
	case p.DoubleQuotedStrings && dialectName != "" && dialectName != "sqlite":
		return nil, invalid("double_quoted_strings", "is set: only sqlite reads a name as a string")
	case len(p.Tables) == 0 && len(p.Schemas) == 0:
		return nil, invalid("tables", "lists no table")
	}
	if err := c.addSchema("", c.schema, Schema{p.Tables, p.Views, p.Filters}, p.Setup); err != nil {
		return nil, err
	}
	for _, name := range slices.Sorted(maps.Keys(p.Schemas)) {
		entry := fmt.Sprintf("schemas[%q]", name)
		if len(p.Schemas[name].Tables) == 0 {
			return nil, invalid(entry, "lists no table")
		}
		if err := c.addSchema(entry+".", name, p.Schemas[name], p.Setup); err != nil {
			return nil, err
		}
	}
	slices.SortFunc(c.objects, func(a, b *sqlast.Object) int {
		return cmp.Or(cmp.Compare(a.Schema, b.Schema), cmp.Compare(a.Logical, b.Logical))
	})
	displayed := map[string]bool{}
	for _, o := range c.objects {
		name := ascii.Lower(c.display(o))
		if displayed[name] {
			return nil, invalid(fmt.Sprintf("tables[%q]", c.display(o)), "is also the name of a table of another schema")
		}
		displayed[name] = true
		for _, column := range o.Columns {
			c.columns[ascii.Lower(column)] = append(c.columns[ascii.Lower(column)], c.display(o))
		}
	}
	for i, name := range p.Functions {
		isSpecial := func(r rune) bool { return r >= utf8.RuneSelf || r == ' ' || r == '(' || r == '.' }
		if name == "" || strings.ContainsFunc(name, isSpecial) {
			entry := fmt.Sprintf("functions[%d]", i)
			return nil, invalid(entry, "is %q: write the name of a function, without a schema", name)
		}
		c.functions[ascii.Lower(name)] = true
	}
	if p.Setup != nil {
		if err := c.checkSetup(p, dialectName); err != nil {
			return nil, err
		}
	}
	return c, nil
}

// addSchema checks one schema of a policy and adds its objects. In errors, at
// precedes the names of its entries.
func (c *catalog) addSchema(at, schema string, s Schema, setup *Setup) error {
	if err := sqlast.CheckName(schema); err != nil {
		return invalid(cmp.Or(strings.TrimSuffix(at, "."), "schema"), "%v", err)
	}
	if c.schemas[ascii.Lower(schema)] != nil {
		return invalid(strings.TrimSuffix(at, "."), "is declared twice, perhaps in another letter case")
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
	return c.addFilters(at, s, setup, objects)
}

// checkTables returns the names of the tables by their lower-case form.
func (c *catalog) checkTables(at string, tables map[string][]string) (map[string]string, error) {
	folded := map[string]string{}
	for _, name := range slices.Sorted(maps.Keys(tables)) {
		entry := fmt.Sprintf("%stables[%q]", at, name)
		if err := c.checkTable(entry, name, tables[name]); err != nil {
			return nil, err
		}
		if other, ok := folded[ascii.Lower(name)]; ok {
			return nil, invalid(entry, "differs from %q only in letter case", other)
		}
		folded[ascii.Lower(name)] = name
	}
	return folded, nil
}

// checkViews checks the views of a schema:
//
//   - each table has one view, and each view replaces one table;
//   - no view is the name of a table that has a view itself;
//   - tables, which is indexed by lower-case names, lists the table or the view,
//     in the same spelling.
func checkViews(at string, views map[string]string, tables map[string]string) error {
	names := slices.Sorted(maps.Keys(views))
	mapped := map[string]bool{}    // tables in lower case
	logical := map[string]string{} // tables by their view in lower case
	for _, name := range names {
		entry, view := fmt.Sprintf("%sviews[%q]", at, name), views[name]
		if err := cmp.Or(sqlast.CheckName(name), sqlast.CheckName(view)); err != nil {
			return invalid(entry, "%v", err)
		}
		table, tableListed := tables[ascii.Lower(name)]
		viewAs, viewListed := tables[ascii.Lower(view)]
		other, clash := logical[ascii.Lower(view)]
		switch {
		case mapped[ascii.Lower(name)]:
			return invalid(entry, "is listed twice, in different letter case")
		case ascii.Lower(name) == ascii.Lower(view):
			return invalid(entry, "maps a table to itself")
		case clash:
			return invalid(entry, "maps to %q, which already replaces %q", view, other)
		case !tableListed && !viewListed:
			return invalid(entry, "has no columns: tables lists neither %q nor %q", name, view)
		case tableListed && table != name:
			return invalid(entry, "is listed in tables as %q: use the same spelling", table)
		case viewListed && viewAs != view:
			return invalid(entry, "maps to %q, which tables lists as %q: use the same spelling", view, viewAs)
		}
		mapped[ascii.Lower(name)], logical[ascii.Lower(view)] = true, name
	}
	for _, name := range names {
		if mapped[ascii.Lower(views[name])] {
			return invalid(fmt.Sprintf("%sviews[%q]", at, name),
				"maps to %q, which has a view itself", views[name])
		}
	}
	return nil
}

func (c *catalog) checkTable(entry, name string, columns []string) error {
	if err := sqlast.CheckName(name); err != nil {
		return invalid(entry, "%v", err)
	}
	if len(columns) == 0 {
		return invalid(entry, "lists no column")
	}
	seen := map[string]bool{}
	for _, column := range columns {
		if column == "*" {
			return invalid(entry, "lists *: list the name of each column that may be read")
		}
		if err := sqlast.CheckName(column); err != nil {
			return invalid(entry, "column %q %v", column, err)
		}
		if seen[ascii.Lower(column)] {
			return invalid(entry, "lists column %q twice, perhaps in another letter case", column)
		}
		seen[ascii.Lower(column)] = true
		c.listed[ascii.Lower(column)] = true
	}
	return nil
}

func (c *catalog) tables() []Table {
	tables := make([]Table, len(c.objects))
	for i, o := range c.objects {
		name := dialect.TableName{Schema: o.Schema, Name: o.Logical}
		tables[i] = Table{TableName: name, Columns: slices.Clone(o.Columns), Filter: c.filters[o]}
		if o.Filter != nil {
			tables[i].FilterColumns = slices.Clone(o.Filter.Columns)
		}
		if o.Name != o.Logical {
			tables[i].View = o.Name
		}
	}
	return tables
}

// display returns the name that a statement uses for an object.
func (c *catalog) display(o *sqlast.Object) string { return c.nameOf(o.Schema, o.Logical) }

func (c *catalog) nameOf(schema, table string) string {
	if ascii.EqualFold(schema, c.schema) {
		return table
	}
	return schema + "." + table
}
