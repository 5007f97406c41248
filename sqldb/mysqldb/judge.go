package mysqldb

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/qedkit/qed/dialect"
	"github.com/qedkit/qed/internal/ascii"
	"github.com/qedkit/qed/secureview"
	"github.com/qedkit/qed/sqldb"
)

// check compares what an account may do with what a policy needs.
type check struct {
	server   *server
	account  string
	wanted   *wanted // nil without a policy
	visible  []dialect.TableName
	findings []sqldb.Finding
}

// wanted is what a policy lets an account do.
type wanted struct {
	objects   []sqldb.Object               // what statements read, sorted
	reads     *tableSet                    // the same
	stands    map[dialect.TableName]string // a table, folded, to the view that stands for it
	functions map[string]bool              // that statements may call
	answers   map[string]bool              // functions that answer settings to the views
}

func (s *server) newWanted(p *secureview.Policy) *wanted {
	if p == nil {
		return nil
	}
	w := &wanted{reads: s.newTableSet(), stands: map[dialect.TableName]string{}, functions: map[string]bool{}, answers: map[string]bool{}}
	w.add(p.Schema, p.Tables, p.Views)
	for _, name := range slices.Sorted(maps.Keys(p.Schemas)) {
		w.add(name, p.Schemas[name].Tables, p.Schemas[name].Views)
	}
	for _, name := range p.Functions {
		w.functions[ascii.Lower(name)] = true
	}
	if p.Setup != nil {
		for _, name := range p.Setup.Functions() {
			w.answers[ascii.Lower(name)] = true
		}
	}
	return w
}

// add adds what statements read of one schema. A table with a view may be listed
// itself, or its view, or both: then the view's columns are those that are read.
func (w *wanted) add(schema string, tables map[string][]string, views map[string]string) {
	columns := map[string][]string{}
	for _, name := range slices.Sorted(maps.Keys(tables)) {
		columns[ascii.Lower(name)] = tables[name]
	}
	read := map[string]bool{}
	add := func(name string, list []string) {
		if read[ascii.Lower(name)] {
			return
		}
		read[ascii.Lower(name)] = true
		w.objects = append(w.objects, sqldb.Object{Schema: schema, Name: name, Columns: list})
		w.reads.add(dialect.TableName{Schema: schema, Name: name})
	}
	behind := map[string]bool{}
	for _, table := range slices.Sorted(maps.Keys(views)) {
		view := views[table]
		behind[ascii.Lower(table)] = true
		w.stands[w.reads.key(dialect.TableName{Schema: schema, Name: table})] = view
		list, ok := columns[ascii.Lower(view)]
		if !ok {
			list = columns[ascii.Lower(table)]
		}
		add(view, list)
	}
	for _, name := range slices.Sorted(maps.Keys(tables)) {
		if !behind[ascii.Lower(name)] {
			add(name, tables[name])
		}
	}
}

// harmless is the rights that neither change nor show anything of rows.
var harmless = map[string]bool{"USAGE": true, "SHOW VIEW": true, "SHOW DATABASES": true}

// telltale is the rights that show what other accounts do, with the values in it.
var telltale = map[string]bool{
	"PROCESS": true, "REPLICATION SLAVE": true, "REPLICATION CLIENT": true, "BINLOG MONITOR": true, "REPLICA MONITOR": true,
	"SLAVE MONITOR": true, "SHOW CREATE ROUTINE": true, "SHOW_ROUTINE": true, "REPLICATION_SLAVE_ADMIN": true,
}

// judge adds what is wrong with a grant.
func (c *check) judge(g grant) {
	var writes, tells, files, calls, selects []privilege
	for _, p := range g.privileges {
		switch {
		case harmless[p.name]:
		case p.name == "SELECT":
			selects = append(selects, p)
		case p.name == "EXECUTE":
			calls = append(calls, p)
		case p.name == "FILE":
			files = append(files, p)
		case telltale[p.name]:
			tells = append(tells, p)
		default:
			writes = append(writes, p)
		}
	}
	switch {
	case g.proxied != "":
		c.find(sqldb.CanWrite, g.proxied, "it may act as "+g.proxied, c.revoke(g, "PROXY ON "+g.proxied))
		return
	case g.roles != nil && g.again:
		for _, role := range g.roles {
			c.find(sqldb.CanWrite, role, "it may grant the role "+role, c.revoke(g, role))
		}
		return
	case g.roles != nil:
		return
	}
	if len(writes) > 0 {
		c.find(sqldb.CanWrite, g.on.text, fmt.Sprintf("it has %s on %s", join(writes), g.on.text), c.revokeOn(g, writes))
	}
	if len(tells) > 0 {
		c.find(sqldb.CanReadMore, g.on.text, fmt.Sprintf("it has %s: it sees what others do, values among it", join(tells)), c.revokeOn(g, tells))
	}
	if len(files) > 0 {
		c.find(sqldb.CanReadFiles, g.on.text, "it has FILE: it may read and write files of the server", c.revokeOn(g, files))
	}
	if len(calls) > 0 {
		c.judgeCalls(g, calls)
	}
	if len(selects) > 0 && c.wanted != nil {
		c.judgeSelects(g, selects)
	}
	if g.again {
		c.find(sqldb.CanWrite, g.on.text, "it may grant others what it may do on "+g.on.text, c.revokeOn(g, []privilege{{name: "GRANT OPTION"}}))
	}
}

// judgeCalls looks at EXECUTE: on functions that the policy does not let
// statements call, and on whatever a schema has.
func (c *check) judgeCalls(g grant, calls []privilege) {
	function := g.on.kind == "FUNCTION"
	name := ascii.Lower(g.on.name)
	switch {
	case c.wanted == nil && function:
	case c.wanted != nil && function && c.wanted.answers[name]:
		c.find(sqldb.CanCallKey, g.on.text, fmt.Sprintf("it may call %s, which answers what only the views may read of a session", g.on.text), c.revokeOn(g, calls))
	case c.wanted != nil && function && c.wanted.functions[name]:
	case c.wanted != nil && len(c.wanted.answers) > 0 && g.on.kind == "":
		c.find(sqldb.CanCallKey, g.on.text, fmt.Sprintf("it may call every function of %s, also those that answer what only the views may read of a session", g.on.text), c.revokeOn(g, calls))
	default:
		c.find(sqldb.CanWrite, g.on.text, fmt.Sprintf("it may call %s, which can do what its definer may", g.on.text), c.revokeOn(g, calls))
	}
}

// judgeSelects looks at SELECT: on a table past its view, and on what the policy
// does not list. A grant on a whole schema is wrong where it has such a table.
func (c *check) judgeSelects(g grant, selects []privilege) {
	var past, more []string
	view := ""
	look := func(t dialect.TableName) {
		if c.wanted.reads.lacks([]dialect.TableName{t}) == nil {
			return
		}
		if v, ok := c.wanted.stands[c.wanted.reads.key(t)]; ok {
			past, view = append(past, t.String()), v
		} else {
			more = append(more, t.String())
		}
	}
	switch {
	case g.on.name != "*":
		look(dialect.TableName{Schema: g.on.schema, Name: g.on.name})
	default:
		for _, t := range c.visible {
			if g.on.schema == "*" || like(c.fold(g.on.schema), c.fold(t.Schema)) {
				look(t)
			}
		}
	}
	whole := ""
	if g.on.name == "*" {
		whole = " as part of " + g.on.text
	}
	switch {
	case len(past) == 1:
		c.find(sqldb.CanReadBase, past[0], fmt.Sprintf("it may read %s%s, past the view %s that stands for it", past[0], whole, view), c.revokeOn(g, selects))
	case len(past) > 1:
		c.find(sqldb.CanReadBase, g.on.text, fmt.Sprintf("it may read %s%s, past the views that stand for them", some(past), whole), c.revokeOn(g, selects))
	case len(more) > 0:
		c.find(sqldb.CanReadMore, g.on.text, fmt.Sprintf("it may read %s%s, which the policy does not list", some(more), whole), c.revokeOn(g, selects))
	}
}

func (c *check) fold(name string) string { return c.server.newTableSet().fold(name) }

// find adds a finding.
func (c *check) find(problem sqldb.Problem, object, message, cure string) {
	c.findings = append(c.findings, sqldb.Finding{Problem: problem, Object: object, Message: message, Cure: cure})
}

// revokeOn is the cure for a part of a grant.
func (c *check) revokeOn(g grant, privileges []privilege) string {
	return c.revoke(g, join(privileges)+" ON "+g.on.String())
}

// revoke is the cure for a grant: what comes through a role is cured by taking
// that away, as others may need it.
func (c *check) revoke(g grant, what string) string {
	if g.via != "" {
		return "REVOKE " + g.via + " FROM " + c.account
	}
	return "REVOKE " + what + " FROM " + g.to
}

func join(privileges []privilege) string {
	texts := make([]string, len(privileges))
	for i, p := range privileges {
		texts[i] = p.String()
	}
	return strings.Join(texts, ", ")
}

// some names the first few of a list.
func some(list []string) string {
	const most = 3
	text := strings.Join(list[:min(len(list), most)], ", ")
	if more := len(list) - most; more > 0 {
		text += fmt.Sprintf(" and %d more", more)
	}
	return text
}

// like compares a schema with the pattern of a grant: _ is any letter, % any
// number of them, a backslash takes their meaning away.
func like(pattern, name string) bool {
	if pattern == "" {
		return name == ""
	}
	first, width := utf8.DecodeRuneInString(pattern)
	rest := pattern[width:]
	if first == '%' {
		for i := range len(name) + 1 {
			if like(rest, name[i:]) {
				return true
			}
		}
		return false
	}
	if first == '\\' && rest != "" {
		first, width = utf8.DecodeRuneInString(rest)
		rest = rest[width:]
	} else if first == '_' && name != "" {
		_, width = utf8.DecodeRuneInString(name)
		return like(rest, name[width:])
	}
	after, ok := strings.CutPrefix(name, string(first))
	return ok && like(rest, after)
}
