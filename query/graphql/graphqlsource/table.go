package graphqlsource

import (
	"encoding/json"
	"strconv"
	"strings"

	"github.com/qedkit/qed"
	"github.com/qedkit/qed/internal/strictjson"
)

// A tabulated response is a response as a table.
type tabulated struct {
	table *qed.Table
	total int64 // 0 if it is not known or not more than the rows
}

// An object is an object of a response. Null is a nil object.
type object map[string]json.RawMessage

// A list is a list whose items are rows.
type list struct {
	path  string
	field *field
	items []json.RawMessage

	total int64 // the connection's total, or 0
	more  bool  // the connection reports that there are more
}

// A frame holds columns with their cells. All columns have the same number of cells.
type frame struct {
	names []string
	types []string
	cells [][]any
	rows  int
}

func (f *frame) add(name, typ string, cells []any) {
	f.names = append(f.names, name)
	f.types = append(f.types, typ)
	f.cells = append(f.cells, cells)
}

// tabulate returns the data of a response as a table.
func tabulate(fields []*field, data json.RawMessage) (*tabulated, error) {
	root, err := asObject(data)
	if err != nil {
		return nil, err
	}
	if len(fields) == 1 && fields[0].leaf && isList(root[fields[0].key]) {
		return values(fields[0], root[fields[0].key])
	}
	var around frame
	var lists []list
	around.rows = 1
	if err := around.object("", &field{fields: fields}, []object{root}, &lists); err != nil {
		return nil, err
	}
	if len(lists) == 0 {
		return single(fields, root)
	}
	var out union
	found := &tabulated{}
	for _, l := range lists {
		rows, err := l.frame()
		if err != nil {
			return nil, err
		}
		part := frame{rows: rows.rows}
		if len(lists) > 1 {
			part.add("list", "String", repeated(l.path, rows.rows))
		}
		for i, name := range around.names {
			part.add(name, around.types[i], repeated(around.cells[i][0], rows.rows))
		}
		for i, name := range rows.names {
			part.add(name, rows.types[i], rows.cells[i])
		}
		out.append(&part)
		out.table.Truncated = out.table.Truncated || l.more || l.total > int64(rows.rows)
		if len(lists) == 1 && l.total > int64(rows.rows) {
			found.total = l.total
		}
	}
	found.table = &out.table
	return found, nil
}

// single returns the row of a response without a list. If the query asks for one
// object, its key is not a part of the columns' names.
func single(fields []*field, root object) (*tabulated, error) {
	one, from := &field{fields: fields}, root
	if len(fields) == 1 && !fields[0].leaf {
		one = fields[0]
		var err error
		if from, err = asObject(root[one.key]); err != nil {
			return nil, err
		}
	}
	row := frame{rows: 1}
	if err := row.object("", one, []object{from}, nil); err != nil {
		return nil, err
	}
	row.rows = 0
	for _, f := range fields {
		if !strictjson.Absent(root[f.key]) {
			row.rows = 1
		}
	}
	var out union
	out.append(&row)
	return &tabulated{table: &out.table}, nil
}

// values returns the table of a list of scalars.
func values(f *field, raw json.RawMessage) (*tabulated, error) {
	items, err := asList(raw)
	if err != nil {
		return nil, err
	}
	t := &qed.Table{Columns: []qed.Column{{Name: f.key, Type: strings.Trim(f.typ, "[]")}}}
	for _, item := range items {
		t.Rows = append(t.Rows, []any{cell(item)})
	}
	return &tabulated{table: t}, nil
}

// frame returns the rows of a list. The rows of the edges of a connection are its
// nodes.
func (l *list) frame() (*frame, error) {
	items, err := objects(l.items)
	if err != nil {
		return nil, err
	}
	rows := &frame{rows: len(items)}
	node := l.field.named("node")
	if l.field.name != "edges" || node == nil || node.leaf {
		return rows, rows.object("", l.field, items, nil)
	}
	var edges, nodes []object
	for _, edge := range items {
		o, err := asObject(edge[node.key])
		if err != nil {
			return nil, err
		}
		if o != nil {
			edges, nodes = append(edges, edge), append(nodes, o)
		}
	}
	rows.rows = len(nodes)
	own := &field{name: l.field.name}
	for _, f := range l.field.fields {
		if f != node {
			own.fields = append(own.fields, f)
		}
	}
	if err := rows.object("", node, nodes, nil); err != nil {
		return nil, err
	}
	return rows, rows.object("edge.", own, edges, nil)
}

// object adds the columns of the fields of a field, with one cell for each object. If
// lists is not nil, lists are added to it, with the total of their connection.
// Otherwise lists become columns.
func (f *frame) object(prefix string, of *field, from []object, lists *[]list) error {
	total, info, err := of.connection(from, lists != nil)
	if err != nil {
		return err
	}
	for _, c := range of.fields {
		if c == total || c == info {
			continue
		}
		raw := make([]json.RawMessage, len(from))
		for i, o := range from {
			raw[i] = o[c.key]
		}
		name := prefix + c.key
		switch {
		case c.leaf:
			f.add(name, c.typ, each(raw, cell))
		case !anyList(raw):
			inner, err := objectsAt(raw)
			if err != nil {
				return err
			}
			if err := f.object(name+".", c, inner, lists); err != nil {
				return err
			}
		case lists != nil: // from has one object
			l := list{path: name, field: c}
			if l.items, err = asList(raw[0]); err != nil {
				return err
			}
			if err := l.readConnection(total, info, from[0]); err != nil {
				return err
			}
			*lists = append(*lists, l)
		default:
			f.add(name, "", each(raw, cell))
			f.add(name+".count", "Int", each(raw, count))
		}
	}
	return nil
}

// connection returns the fields with the total and the page of the list in an object.
// They are nil if the query does not select them or the object has no list of rows.
func (f *field) connection(from []object, rows bool) (total, info *field, err error) {
	if !rows || len(from) != 1 {
		return nil, nil, nil
	}
	for _, c := range f.fields {
		if !c.leaf && isList(from[0][c.key]) {
			return f.named("totalCount"), f.named("pageInfo"), nil
		}
	}
	return nil, nil, nil
}

// readConnection stores the total and the page of the connection around a list.
func (l *list) readConnection(total, info *field, around object) error {
	if total != nil {
		if n, ok := cell(around[total.key]).(int64); ok && n > 0 {
			l.total = n
		}
	}
	if info == nil {
		return nil
	}
	page, err := asObject(around[info.key])
	if err != nil {
		return err
	}
	if next := info.named("hasNextPage"); next != nil {
		l.more = cell(page[next.key]) == true
	}
	return nil
}

// A union is a table that holds the rows of several frames.
type union struct{ table qed.Table }

func (u *union) append(f *frame) {
	at := map[string]int{}
	for i, c := range u.table.Columns {
		at[c.Name] = i
	}
	taken := map[string]bool{}
	columns := make([]int, len(f.names))
	for i, name := range f.names {
		unique := name
		for n := 2; taken[unique]; n++ { // the same path in the list and around it
			unique = name + "_" + strconv.Itoa(n)
		}
		taken[unique] = true
		column, ok := at[unique]
		if !ok {
			column = len(u.table.Columns)
			u.table.Columns = append(u.table.Columns, qed.Column{Name: unique, Type: f.types[i]})
		}
		columns[i] = column
	}
	for i, row := range u.table.Rows {
		u.table.Rows[i] = append(row, make([]any, len(u.table.Columns)-len(row))...)
	}
	for r := range f.rows {
		row := make([]any, len(u.table.Columns))
		for i, column := range columns {
			row[column] = f.cells[i][r]
		}
		u.table.Rows = append(u.table.Rows, row)
	}
}

func repeated(v any, n int) []any {
	cells := make([]any, n)
	for i := range cells {
		cells[i] = v
	}
	return cells
}

func each(raw []json.RawMessage, f func(json.RawMessage) any) []any {
	cells := make([]any, len(raw))
	for i, r := range raw {
		cells[i] = f(r)
	}
	return cells
}

// count returns the cell with the length of a list.
func count(raw json.RawMessage) any {
	if !isList(raw) {
		return nil
	}
	items, err := asList(raw)
	if err != nil {
		return nil // not reached: the client has checked the JSON
	}
	return int64(len(items))
}
