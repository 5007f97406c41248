package mysql

import (
	"cmp"
	"fmt"
	"strconv"
	"strings"

	"github.com/qedkit/qed/internal/ascii"
	"github.com/qedkit/qed/internal/sqlast"
)

// jsonTable is JSON_TABLE(value, 'path' COLUMNS (..)) in FROM, which the grammar does
// not have. It is given (SELECT value mark) instead.
type jsonTable struct {
	at      int // offset of JSON_TABLE
	path    *sqlast.String
	columns []sqlast.JSONColumn
	names   []string // of all columns
	used    bool
}

// Bounds on a JSON_TABLE. With 200 columns of 31,000 rows, MySQL ends 1.5 s after
// its limit of time. It has at most 16 NESTED PATHs.
const (
	maxJSONColumns = 64 // with those of NESTED PATHs
	maxJSONPaths   = 16 // NESTED PATHs
)

// tableMark returns the alias of the value of the JSON_TABLE with a number. Nothing
// depends on that no other alias is like it: each is used once, by a SELECT without
// a FROM.
func tableMark(number int) string { return "?json_table" + strconv.Itoa(number) }

// takeJSONTables replaces each JSON_TABLE of a text for the grammar.
func (s *survey) takeJSONTables(src string) error {
	scan := scanner{src: src}
	for t := scan.next(); t.kind != endOfText; t = scan.next() {
		ahead := scan
		if !isWord(src, t, "JSON_TABLE") || !isMark(src, ahead.next(), '(') {
			continue
		}
		p := tableParser{scan: ahead, table: jsonTable{at: t.at}}
		comma := p.value()
		p.rest()
		if p.err != nil {
			return p.err
		}
		s.replace(src, t.at, ahead.at, "(SELECT")
		// The shortest path and COLUMNS are longer than the mark of any number.
		s.replace(src, comma, p.t.at, " `"+tableMark(len(s.tables))+"`")
		s.tables = append(s.tables, p.table)
		scan = p.scan
	}
	return nil
}

// tableParser parses a JSON_TABLE after its opening parenthesis.
type tableParser struct {
	scan  scanner
	t     token // the current one
	table jsonTable
	paths int // NESTED PATHs
	err   *sqlast.Error
}

func (p *tableParser) text() string { return p.scan.src[p.t.at:p.t.end] }

// next moves to the next token.
func (p *tableParser) next() { p.t = p.scan.next() }

func (p *tableParser) fail(message string) {
	if p.err == nil {
		p.err = &sqlast.Error{Code: sqlast.Unsupported, Name: "JSON_TABLE", Pos: sqlast.Pos(p.t.at), Message: message}
	}
	p.t, p.scan.at = token{at: len(p.scan.src), end: len(p.scan.src)}, len(p.scan.src)
}

// malformed fails because the current token has no meaning.
func (p *tableParser) malformed() {
	p.fail("JSON_TABLE is written JSON_TABLE(value, 'path' COLUMNS (name type PATH 'path', " +
		"name FOR ORDINALITY, NESTED PATH 'path' COLUMNS (..))) AS alias")
}

// is reports whether the current token is a keyword.
func (p *tableParser) is(keyword string) bool { return isWord(p.scan.src, p.t, keyword) }

// word skips a keyword.
func (p *tableParser) word(keyword string) {
	if !p.is(keyword) {
		p.malformed()
	}
	p.next()
}

// took reports whether the current token is a sign, and skips it.
func (p *tableParser) took(sign byte) bool {
	is := isMark(p.scan.src, p.t, sign)
	if is {
		p.next()
	}
	return is
}

func (p *tableParser) mark(sign byte) {
	if !p.took(sign) {
		p.malformed()
	}
}

// value skips the first argument and the comma after it. It returns the offset of
// the comma.
func (p *tableParser) value() int {
	for depth := 0; ; {
		switch p.next(); {
		case p.t.kind == endOfText, isMark(p.scan.src, p.t, ')') && depth == 0:
			p.malformed()
			return 0
		case isMark(p.scan.src, p.t, '('):
			depth++
		case isMark(p.scan.src, p.t, ')'):
			depth--
		case isMark(p.scan.src, p.t, ',') && depth == 0:
			comma := p.t.at
			p.next()
			return comma
		}
	}
}

// rest parses what follows the first argument. The current token is then the closing
// parenthesis.
func (p *tableParser) rest() {
	p.table.path = &sqlast.String{Pos: sqlast.Pos(p.t.at), Value: p.path()}
	p.table.columns = p.columns()
	if !isMark(p.scan.src, p.t, ')') {
		p.malformed()
	}
}

func (p *tableParser) columns() (list []sqlast.JSONColumn) {
	p.word("COLUMNS")
	p.mark('(')
	for {
		if list = append(list, p.column()); !p.took(',') {
			break
		}
	}
	p.mark(')')
	return list
}

func (p *tableParser) column() (c sqlast.JSONColumn) {
	if ahead := p.scan; p.is("NESTED") && isWord(ahead.src, ahead.next(), "PATH") {
		if p.paths++; p.paths > maxJSONPaths {
			p.fail(fmt.Sprintf("JSON_TABLE has more than %d NESTED PATHs", maxJSONPaths))
		}
		p.next()
		p.next()
		c.Path = p.path()
		c.Nested = p.columns()
		return c
	}
	var ok bool
	if c.Name, ok = bareName(p.scan.src, p.t); !ok {
		p.malformed()
	}
	if p.table.names = append(p.table.names, c.Name); len(p.table.names) > maxJSONColumns {
		p.fail(fmt.Sprintf("JSON_TABLE has more than %d columns", maxJSONColumns))
	}
	if p.next(); p.is("FOR") {
		p.next()
		p.word("ORDINALITY")
		return c
	}
	c.Type = p.columnType()
	if c.Exists = p.is("EXISTS"); c.Exists {
		p.next()
	}
	p.word("PATH")
	c.Path = p.path()
	for !c.Exists && p.err == nil && (p.is("NULL") || p.is("ERROR") || p.is("DEFAULT")) {
		p.fallback(&c)
	}
	return c
}

// fallback parses NULL, ERROR or DEFAULT with ON EMPTY or ON ERROR.
func (p *tableParser) fallback(c *sqlast.JSONColumn) {
	var e sqlast.Expr
	at := sqlast.Pos(p.t.at)
	switch {
	case p.is("NULL"):
		e = &sqlast.Null{Pos: at}
		p.next()
	case p.is("ERROR"):
		e = &sqlast.Unit{Pos: at, Name: "ERROR"}
		p.next()
	default:
		p.next()
		e = &sqlast.String{Pos: at, Value: p.literal()}
	}
	p.word("ON")
	slot := &c.OnEmpty
	if p.is("ERROR") {
		slot = &c.OnError
	} else if !p.is("EMPTY") {
		p.malformed()
	}
	if *slot != nil {
		p.malformed()
	}
	*slot = e
	p.next()
}

// literal returns the value of a string literal. It has no quotes of its own kind
// and no backslashes, so that no reader can see another end of it.
func (p *tableParser) literal() string {
	text := p.text()
	if p.t.kind != quoted || text[0] == '`' || len(text) < 2 || text[len(text)-1] != text[0] {
		p.fail("paths and DEFAULTs of JSON_TABLE must be string literals")
		return ""
	}
	if strings.ContainsAny(text, "\\\x00") {
		p.fail("paths and DEFAULTs of JSON_TABLE cannot have a backslash")
		return ""
	}
	p.next()
	return text[1 : len(text)-1]
}

func (p *tableParser) path() string {
	path := p.literal()
	if p.err == nil && strings.Contains(path, "**") {
		p.fail("** is not supported in a path of JSON_TABLE: name the levels, as in $[*].items[*]")
	}
	return path
}

// columnTypes are the types of the columns of JSON_TABLE and how many numbers in
// parentheses they may have.
var columnTypes = map[string]int{
	"TINYINT": 1, "SMALLINT": 1, "MEDIUMINT": 1, "INT": 1, "INTEGER": 1, "BIGINT": 1,
	"BOOL": 0, "BOOLEAN": 0, "FLOAT": 0, "DOUBLE": 0, "DECIMAL": 2, "NUMERIC": 2,
	"CHAR": 1, "VARCHAR": 1, "TEXT": 0, "LONGTEXT": 0, "JSON": 0,
	"DATE": 0, "DATETIME": 1, "TIME": 1, "YEAR": 0,
}

// columnType returns a type as it is printed.
func (p *tableParser) columnType() string {
	name := ascii.Upper(p.text())
	most, ok := columnTypes[name]
	if !ok || p.t.kind != word {
		p.fail(fmt.Sprintf("%s is not a type of a column of JSON_TABLE: use INT, BIGINT, DECIMAL(p, s), DOUBLE, "+
			"CHAR(n), VARCHAR(n), TEXT, DATE, DATETIME, TIME, JSON or FOR ORDINALITY", cmp.Or(sqlast.Clip(p.text()), "the end")))
		return ""
	}
	var numbers []string
	if p.next(); most > 0 && p.took('(') {
		for {
			if n := p.text(); p.t.kind != word || digits(n) < len(n) || len(n) > 5 {
				p.malformed()
			}
			numbers = append(numbers, p.text())
			if p.next(); len(numbers) == most || !p.took(',') {
				break
			}
		}
		p.mark(')')
	}
	if numbers == nil && name == "VARCHAR" {
		p.fail("VARCHAR needs a length in JSON_TABLE: VARCHAR(100)")
	}
	out := name
	if numbers != nil {
		out += "(" + strings.Join(numbers, ", ") + ")"
	}
	if strings.HasSuffix(name, "INT") && p.is("UNSIGNED") {
		p.next()
		out += " UNSIGNED"
	}
	return out
}

// jsonTable returns the JSON_TABLE that a derived table stands for, or nil.
func (r *reader) jsonTable(d *sqlast.Derived) sqlast.Relation {
	s, ok := d.Query.Body.(*sqlast.Select)
	if !ok || len(s.Items) != 1 || r.err != nil {
		return nil
	}
	for i := range r.tables {
		t := &r.tables[i]
		if s.Items[0].Alias != tableMark(i) {
			continue
		}
		at := sqlast.Pos(t.at)
		plain := &sqlast.Query{Body: &sqlast.Select{Items: s.Items}}
		if t.used || d.Lateral || !sqlast.Equal(d.Query, plain) {
			r.fail(sqlast.Syntax, at, "JSON_TABLE", "the first argument of this JSON_TABLE is not a value")
			return nil
		}
		if d.Alias == "" {
			r.fail(sqlast.Syntax, at, "JSON_TABLE", "JSON_TABLE needs an alias: JSON_TABLE(..) AS items")
		}
		t.used = true
		value := s.Items[0].Expr
		r.refuseInTable(value)
		return &sqlast.TableFunction{
			Pos:     at,
			Calls:   []*sqlast.Call{{Pos: at, Name: "json_table", Args: []sqlast.Expr{value, t.path}}},
			Alias:   d.Alias,
			Columns: t.names,
			JSON:    t.columns,
		}
	}
	return nil
}

// refuseInTable refuses subqueries, aggregates and windows in the value of a
// JSON_TABLE. MySQL does not have them there.
func (r *reader) refuseInTable(value sqlast.Expr) {
	sqlast.Walk(value, func(n sqlast.Node) bool {
		c, isCall := n.(*sqlast.Call)
		_, isQuery := n.(*sqlast.Query)
		_, isStar := n.(*sqlast.Star)
		if isQuery || isStar || isCall && (c.Over != nil || sqlast.IsAggregate(c)) {
			r.fail(sqlast.Unsupported, n.At(), "JSON_TABLE",
				"the first argument of JSON_TABLE must be a value of a row: compute it in a derived table before it")
		}
		return r.err == nil
	})
}

// allTablesUsed refuses a statement with a JSON_TABLE that is not an entry of FROM.
func (r *reader) allTablesUsed() {
	for _, t := range r.tables {
		if !t.used {
			r.fail(sqlast.Syntax, sqlast.Pos(t.at), "JSON_TABLE", "syntax error: JSON_TABLE is an entry of FROM or JOIN")
		}
	}
}
