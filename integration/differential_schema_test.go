package integration_test

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strconv"
	"strings"
)

// A genKind is the type of a column or of an expression.
type genKind byte

const (
	integerColumn genKind = 'i'
	decimalColumn genKind = 'm'
	floatColumn   genKind = 'f'
	textColumn    genKind = 't'
	dateColumn    genKind = 'd'
	stampColumn   genKind = 's'
	booleanColumn genKind = 'b'
	objectColumn  genKind = 'j' // JSON
)

// A genTable is a table of the schema.
type genTable struct {
	Name string

	// Access is how statements read the table.
	Access  genAccess
	columns []genColumn
	key     []string // the names of its unique columns
}

// genAccess is how a policy lets statements read a table.
type genAccess int

const (
	accessOpen     genAccess = iota // the table itself
	accessView                      // a view of all rows
	accessFiltered                  // a view that hides some rows of a larger table
)

type genColumn struct {
	name   string
	kind   genKind
	domain string // columns of one domain have values that match
	null   bool   // has NULLs
}

// genTables are the tables of the schema.
var genTables = []genTable{
	newGenTable("region", accessOpen, "region_id", "region_id i region", "name t name", "code t?"),
	newGenTable("department", accessView, "dept_id", "dept_id i dept", "region_id i? region", "parent_id i? dept", "name t name",
		"budget m?", "opened d"),
	newGenTable("employee", accessView, "id", "id i employee", "dept_id i? dept", "manager_id i? employee", "name t name", "email t?",
		"salary m", "bonus m?", "hired d", "active b", "notes t?", "profile j?"),
	newGenTable("customer", accessOpen, "customer_id", "customer_id i customer", "name t name", "city t? city", "country t",
		"region_id i? region", "since d?", "vip b?", "credit limit m?"),
	newGenTable("category", accessView, "id", "id i category", "parent_id i? category", "name t name"),
	newGenTable("product", accessOpen, "product_id", "product_id i product", "sku t", "name t name", "category_id i? category", "price m",
		"weight f?", "tags j?", "discontinued b"),
	newGenTable("orders", accessView, "order_id", "order_id i order", "customer_id i customer", "employee_id i? employee", "ordered d",
		"shipped s?", "status t", "total m?"),
	newGenTable("order_line", accessOpen, "order_id line_no", "order_id i order", "line_no i", "product_id i product", "qty i",
		"price m", "discount f?"),
	newGenTable("project", accessView, "id", "id i project", "dept_id i? dept", "name t name", "starts d", "ends d?", "budget m?",
		"desc t?"),
	newGenTable("assignment", accessOpen, "employee_id project_id", "employee_id i employee", "project_id i project", "hours f", "role t?"),
	newGenTable("payment", accessFiltered, "id", "id i payment", "order_id i order", "paid_at s", "amount m", "method t?"),
	newGenTable("event", accessOpen, "id", "id i event", "at s", "kind t", "level i?", "payload j?"),
}

// newGenTable returns a table whose columns are given as "name kind", with a question
// mark behind the kind of a column that has NULLs, and the domain.
func newGenTable(name string, access genAccess, key string, columns ...string) genTable {
	t := genTable{Name: name, Access: access, key: strings.Fields(key)}
	for _, def := range columns {
		var c genColumn
		name, rest := def, ""
		for i := range len(def) - 1 { // a name may contain a space
			if def[i] == ' ' && (i+2 == len(def) || def[i+2] == ' ' || def[i+2] == '?') {
				name, rest = def[:i], def[i+1:]
				break
			}
		}
		c.name, c.kind = name, genKind(rest[0])
		rest, c.null = strings.CutPrefix(rest[1:], "?")
		c.domain = strings.TrimSpace(rest)
		t.columns = append(t.columns, c)
	}
	return t
}

// Columns returns the names of the columns.
func (t *genTable) Columns() []string {
	names := make([]string, len(t.columns))
	for i, c := range t.columns {
		names[i] = c.name
	}
	return names
}

// Object returns the name of the view that is read instead of the table, or the
// name of the table.
func (t *genTable) Object() string {
	if t.Access == accessOpen {
		return t.Name
	}
	return "secure_" + t.Name
}

// A setupKind is a variant of the schema.
type setupKind int

const (
	setupUsual     setupKind = iota
	setupWithViews           // the views have the names of the tables
	setupReversed            // the engine scans the rows of each table in another order
	setupFiltered            // tables without a view have more rows, of another tenant
)

// setupStatements returns the statements that create and fill the tables and views. A table
// that is read through a view has no primary key, because a view has none, and
// GROUP BY of a primary key alone is not the same as that of another column.
//
// A statement can read the schema setupWithViews and setupReversed without being rewritten.
// If filtered is set, no table has a primary key, because a table with a filter has none
// in a statement, and all are views in setupWithViews.
func setupStatements(dialect string, kind setupKind, filtered bool) []string {
	views := kind == setupWithViews
	g := grammars[dialect]
	rng := rand.New(rand.NewPCG(1, 1))
	var out []string
	for i := range genTables {
		t := &genTables[i]
		defs := make([]string, len(t.columns))
		for j, c := range t.columns {
			defs[j] = g.quote(c.name) + " " + g.types[c.kind]
		}
		access := t.Access
		if access == accessOpen && views && filtered {
			access = accessView
		}
		if access == accessOpen && !filtered {
			keys := make([]string, len(t.key))
			for j, name := range t.key {
				keys[j] = g.quote(name)
			}
			defs = append(defs, g.primaryKey(keys, kind == setupReversed))
		}
		rows := t.rows(rng)
		create := func(name string, rows [][]any) {
			if kind == setupReversed {
				slices.Reverse(rows)
			}
			out = append(out, "CREATE TABLE "+g.quote(name)+" ("+strings.Join(defs, ", ")+")", g.insert(name, t, rows))
		}
		view, all := t.Object(), t.Name
		if access == accessFiltered || views {
			all = "all_" + t.Name
		}
		if views {
			view = t.Name
		}
		if kind == setupFiltered && access == accessOpen {
			defs = append(defs, g.quote("tenant")+" "+g.types[textColumn])
			rows = slices.Concat(withTenant(t.hidden(), "b"), withTenant(rows, "a"), withTenant(t.hidden(), "A"))
		}
		if access == accessOpen || all != t.Name && !views {
			create(t.Name, rows)
		}
		switch access {
		case accessView:
			create(all, rows)
			text := "CREATE VIEW " + g.quote(view) + " AS SELECT * FROM " + g.quote(all)
			if views && g.name == "duckdb" { // as the guard prints a view, so that as many rows are computed
				text += " LIMIT 9223372036854775807"
			}
			out = append(out, text)
		case accessFiltered:
			create(all, slices.Concat(t.hidden(), rows))
			out = append(out, "CREATE VIEW "+g.quote(view)+" AS SELECT * FROM "+g.quote(all)+" WHERE "+g.quote(t.key[0])+" < 900")
		}
	}
	return out
}

// withTenant returns rows with one column more.
func withTenant(rows [][]any, tenant string) [][]any {
	out := make([][]any, len(rows))
	for i, row := range rows {
		out[i] = append(slices.Clone(row), tenant)
	}
	return out
}

// primaryKey returns the definition of a primary key. SQLite scans a table in the order
// of its primary key if that is an integer, unlike that of a unique one.
func (g *grammar) primaryKey(columns []string, reversed bool) string {
	list := strings.Join(columns, ", ")
	if reversed && g.name == "sqlite" {
		return "UNIQUE (" + list + ")"
	}
	return "PRIMARY KEY (" + list + ")"
}

// genRowsPerTable is small, because statements join tables without conditions.
const genRowsPerTable = 11

// rows returns the rows of a table. The first column of the key counts from 1; a
// second one makes it unique.
func (t *genTable) rows(rng *rand.Rand) [][]any {
	rows := make([][]any, genRowsPerTable)
	for i := range rows {
		rows[i] = make([]any, len(t.columns))
		for j, c := range t.columns {
			rows[i][j] = t.value(rng, c, i)
		}
	}
	return rows
}

// hidden returns rows that the filter of the view hides.
func (t *genTable) hidden() [][]any {
	rows := t.rows(rand.New(rand.NewPCG(2, 2)))
	for i := range rows {
		rows[i][0] = 900 + i
	}
	return rows
}

func (t *genTable) value(rng *rand.Rand, c genColumn, row int) any {
	single := len(t.key) == 1
	switch {
	case c.name == t.key[0] && single:
		return row + 1
	case c.name == t.key[0]:
		return row/2 + 1
	case !single && c.name == t.key[1]:
		return row%2 + 1 + row/2%3
	case c.null && rng.IntN(4) == 0:
		return nil
	case c.name == "parent_id" || c.name == "manager_id": // a hierarchy
		if row < 2 {
			return nil
		}
		return rng.IntN(row) + 1
	case c.domain != "" && c.kind == integerColumn:
		return rng.IntN(genRowsPerTable) + 1
	}
	pool := genPools[c.kind]
	switch c.name {
	case "name":
		pool = genNames
	case "country":
		pool = genCountries
	case "status", "kind", "role", "method":
		pool = genStates
	}
	return pool[rng.IntN(len(pool))]
}

// genPools are the values of columns. The sum of the fractions does not depend on
// the order in which they are added.
var genPools = map[genKind][]any{
	integerColumn: {0, 1, 2, 3, -1, -7, 12, 100},
	decimalColumn: {"0", "10.50", "99.25", "-3.75", "1200.00", "1200.00", "64000.50", "7.25"},
	floatColumn:   {"0.5", "2.25", "-1.5", "8", "0", "3.75"},
	textColumn:    {"", "a", "Zoë", "it's", "back\\slash", "100%", "a_b", "Größe", "say \"hi\"", "x@example.com", "42", "-7", "abc abc"},
	dateColumn:    {"2019-12-31", "2020-02-29", "2020-07-01", "2021-01-04", "2021-03-28", "2023-11-05"},
	stampColumn:   {"2020-02-29 00:00:00", "2020-07-01 13:45:10", "2021-03-28 02:30:00", "2023-11-05 23:59:59", "2021-01-04 08:00:00"},
	booleanColumn: {true, false},
	objectColumn: {`{"a": 1, "b": "x", "tags": ["red", "blue"]}`, `{"a": -2.5, "b": null, "c": {"d": "deep"}}`, `{"b": "Zoë"}`,
		`{"a": 10, "tags": []}`},
}

var (
	genNames     = []any{"Anna", "anna b", "Zoë", "O'Neil", "Größe", "Dept 1", "Dept 2", "Ops", "Sales", "sales emea", "東京"}
	genCountries = []any{"DE", "DE", "FR", "US", "jp"}
	genStates    = []any{"open", "open", "paid", "Shipped", "void", "card"}
)

// insert returns the statement that fills a table.
func (g *grammar) insert(name string, t *genTable, rows [][]any) string {
	lines := make([]string, len(rows))
	for i, row := range rows {
		values := make([]string, len(row))
		for j, value := range row {
			switch value := value.(type) {
			case nil:
				values[j] = "NULL"
			case int:
				values[j] = strconv.Itoa(value)
			case bool:
				values[j] = strings.ToUpper(strconv.FormatBool(value))
			case string:
				values[j] = g.str(value)
				if j == len(t.columns) { // the tenant
					continue
				}
				if k := t.columns[j].kind; k == decimalColumn || k == floatColumn {
					values[j] = value
				}
			}
		}
		lines[i] = "(" + strings.Join(values, ", ") + ")"
	}
	return fmt.Sprintf("INSERT INTO %s VALUES %s", g.quote(name), strings.Join(lines, ", "))
}
