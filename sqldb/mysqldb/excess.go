package mysqldb

import (
	"fmt"
	"regexp"
	"strings"

	"github.com/qedkit/qed/internal/ascii"
	"github.com/qedkit/qed/internal/lists"
	"github.com/qedkit/qed/internal/policycheck"
	"github.com/qedkit/qed/secureview"
	"github.com/qedkit/qed/secureview/dialect"
	"github.com/qedkit/qed/sqldb"
)

// A check compares what an account may do with what a policy needs.
type check struct {
	server   *server
	account  string
	needs    *needs // nil without a policy
	visible  []dialect.TableName
	findings []sqldb.Finding
}

// needs is what an account needs for a policy.
type needs struct {
	objects          []sqldb.Object               // what statements read, sorted
	reads            *tableSet                    // the same
	views            map[dialect.TableName]string // from the folded name of a table to its view
	functions        map[string]bool              // that statements may call
	settingFunctions map[string]bool              // that return settings of the session to the views
}

func (s *server) newNeeds(p *secureview.Policy) *needs {
	if p == nil {
		return nil
	}
	w := &needs{
		reads:            s.newTableSet(),
		views:            map[dialect.TableName]string{},
		functions:        map[string]bool{},
		settingFunctions: map[string]bool{},
	}
	objects, views := policycheck.Objects(p)
	w.objects = objects
	for _, o := range objects {
		w.reads.add(dialect.TableName{Schema: o.Schema, Name: o.Name})
	}
	for table, view := range views {
		w.views[w.reads.key(table)] = view
	}
	for _, name := range p.Functions {
		w.functions[ascii.Lower(name)] = true
	}
	for _, name := range p.SettingFunctions() {
		w.settingFunctions[ascii.Lower(name)] = true
	}
	return w
}

// harmless are the rights that neither change nor show rows.
var harmless = map[string]bool{"USAGE": true, "SHOW VIEW": true, "SHOW DATABASES": true}

// monitoring are the rights that show the statements of other accounts, with
// their values.
var monitoring = map[string]bool{
	"PROCESS": true, "REPLICATION SLAVE": true, "REPLICATION CLIENT": true, "BINLOG MONITOR": true,
	"REPLICA MONITOR": true,
	"SLAVE MONITOR":   true, "SHOW CREATE ROUTINE": true, "SHOW_ROUTINE": true, "REPLICATION_SLAVE_ADMIN": true,
}

func (c *check) grant(g grant) {
	var writes, monitors, files, calls, selects []privilege
	for _, p := range g.privileges {
		switch {
		case harmless[p.name]:
		case p.name == "SELECT":
			selects = append(selects, p)
		case p.name == "EXECUTE":
			calls = append(calls, p)
		case p.name == "FILE":
			files = append(files, p)
		case monitoring[p.name]:
			monitors = append(monitors, p)
		default:
			writes = append(writes, p)
		}
	}
	switch {
	case g.proxied != "":
		c.find(sqldb.CanWrite, g.proxied, "the account may act as "+g.proxied, c.revoke(g, "PROXY ON "+g.proxied))
		return
	case g.roles != nil && g.grantable:
		for _, role := range g.roles {
			c.find(sqldb.CanWrite, role, "the account may grant the role "+role, c.revoke(g, role))
		}
		return
	case g.roles != nil:
		return
	}
	if len(writes) > 0 {
		c.find(sqldb.CanWrite, g.on.text,
			fmt.Sprintf("the account has %s on %s", join(writes), g.on.text), c.revokeOn(g, writes))
	}
	if len(monitors) > 0 {
		c.find(sqldb.CanReadUnlisted, g.on.text,
			fmt.Sprintf("the account has %s: it sees the statements of other accounts, with their values", join(monitors)),
			c.revokeOn(g, monitors))
	}
	if len(files) > 0 {
		c.find(sqldb.CanReadFiles, g.on.text,
			"the account has FILE: it may read and write files of the server", c.revokeOn(g, files))
	}
	if len(calls) > 0 {
		c.execute(g, calls)
	}
	if len(selects) > 0 && c.needs != nil {
		c.selects(g, selects)
	}
	if g.grantable {
		c.find(sqldb.CanWrite, g.on.text,
			"the account may grant its rights on "+g.on.text+" to others",
			c.revokeOn(g, []privilege{{name: "GRANT OPTION"}}))
	}
}

// execute adds the findings about EXECUTE: on a function that the policy does
// not list, and on all functions of a schema.
func (c *check) execute(g grant, calls []privilege) {
	function := g.on.kind == "FUNCTION"
	name := ascii.Lower(g.on.name)
	switch {
	case c.needs == nil && function:
	case c.needs != nil && function && c.needs.settingFunctions[name]:
		c.find(sqldb.CanCallKeyFunction, g.on.text,
			fmt.Sprintf("the account may call %s, which returns a setting of the session that is only for views", g.on.text),
			c.revokeOn(g, calls))
	case c.needs != nil && function && c.needs.functions[name]:
	case c.needs != nil && len(c.needs.settingFunctions) > 0 && g.on.kind == "":
		c.find(sqldb.CanCallKeyFunction, g.on.text,
			fmt.Sprintf("the account may call every function of %s, also those that return settings only for views", g.on.text),
			c.revokeOn(g, calls))
	default:
		c.find(sqldb.CanWrite, g.on.text,
			fmt.Sprintf("the account may call %s, which has the rights of its definer", g.on.text),
			c.revokeOn(g, calls))
	}
}

// selects adds the findings about SELECT: on a table that the policy replaces
// by a view, and on a table that it does not list. A grant on a whole schema is
// a finding if the schema has such a table.
func (c *check) selects(g grant, selects []privilege) {
	var base, unlisted []string
	view := ""
	add := func(t dialect.TableName) {
		if c.needs.reads.firstMissing([]dialect.TableName{t}) == nil {
			return
		}
		if v, ok := c.needs.views[c.needs.reads.key(t)]; ok {
			base, view = append(base, t.String()), v
		} else {
			unlisted = append(unlisted, t.String())
		}
	}
	if g.on.name != "*" {
		add(dialect.TableName{Schema: g.on.schema, Name: g.on.name})
	} else {
		for _, t := range c.visible {
			if g.on.schema == "*" || like(c.fold(g.on.schema), c.fold(t.Schema)) {
				add(t)
			}
		}
	}
	whole := ""
	if g.on.name == "*" {
		whole = " as part of " + g.on.text
	}
	switch {
	case len(base) == 1:
		c.find(sqldb.CanReadBaseTable, base[0],
			fmt.Sprintf("the account may read %s%s, which the policy replaces by the view %s", base[0], whole, view),
			c.revokeOn(g, selects))
	case len(base) > 1:
		c.find(sqldb.CanReadBaseTable, g.on.text,
			fmt.Sprintf("the account may read %s%s, which the policy replaces by views", some(base), whole),
			c.revokeOn(g, selects))
	case len(unlisted) > 0:
		c.find(sqldb.CanReadUnlisted, g.on.text,
			fmt.Sprintf("the account may read %s%s, which the policy does not list", some(unlisted), whole),
			c.revokeOn(g, selects))
	}
}

func (c *check) fold(name string) string { return c.server.newTableSet().fold(name) }

func (c *check) find(kind sqldb.FindingKind, object, message, fix string) {
	c.findings = append(c.findings, sqldb.Finding{Kind: kind, Object: object, Message: message, Fix: fix})
}

// revokeOn returns the statement that revokes a part of a grant.
func (c *check) revokeOn(g grant, privileges []privilege) string {
	return c.revoke(g, join(privileges)+" ON "+g.on.String())
}

// revoke returns the statement that revokes a grant. For a grant to a role, it
// revokes the role from the account, because others may need the role's rights.
func (c *check) revoke(g grant, what string) string {
	if g.via != "" {
		return "REVOKE " + g.via + " FROM " + c.account
	}
	return "REVOKE " + what + " FROM " + g.to
}

func join(privileges []privilege) string {
	return strings.Join(lists.Map(privileges, func(p privilege) string { return p.String() }), ", ")
}

func some(list []string) string {
	const maxListed = 3
	text := strings.Join(list[:min(len(list), maxListed)], ", ")
	if more := len(list) - maxListed; more > 0 {
		text += fmt.Sprintf(" and %d more", more)
	}
	return text
}

// patternParts matches what is special in the pattern of a grant: _ is any letter, % is any
// number of letters, and a backslash escapes the next letter.
var patternParts = regexp.MustCompile(`(?s)\\.|_|%|.`)

// like reports whether the pattern of a grant matches a schema.
func like(pattern, name string) bool {
	expression := patternParts.ReplaceAllStringFunc(pattern, func(part string) string {
		switch part {
		case "_":
			return "."
		case "%":
			return ".*"
		}
		if len(part) > 1 {
			part = strings.TrimPrefix(part, `\`)
		}
		return regexp.QuoteMeta(part)
	})
	matches, err := regexp.MatchString("(?s)^"+expression+"$", name)
	return err == nil && matches
}
