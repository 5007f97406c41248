package secureview

import (
	"fmt"
	"strings"

	"github.com/qedkit/qed/internal/sqlast"
)

// Script is statements of DDL for an administrator, in the order in which they
// work, each without a semicolon at its end. Some begin with a comment.
type Script []string

// String is the script as a text for the server's own client.
func (s Script) String() string {
	var b strings.Builder
	for i, statement := range s {
		if i > 0 && strings.HasPrefix(statement, "--") {
			b.WriteByte('\n')
		}
		b.WriteString(statement)
		b.WriteString(";\n")
	}
	return b.String()
}

// SQL answers the script that makes what a policy needs on its server: the secure
// views, what they know of a session by, and the account with exactly the rights
// that it needs. The policy has a Dialect, "mysql" (a script for MySQL and MariaDB
// alike) or "postgres", and a Setup; its errors are those of [New].
//
// An administrator reviews the script and runs it; the views read with his rights.
// It can be run again, also after the policy has changed: rights that the account
// has beyond it are taken away first, and given back last. While it runs,
// statements of the account are refused; in PostgreSQL one transaction avoids that
// (psql --single-transaction). What a policy no longer names is left where it is,
// out of the account's reach. PostgreSQL cannot take columns from a view, nor
// change their order and types: drop one of which that is asked, and run the
// script again.
//
// The account is made without a login. Give it one when the script has run: in
// MySQL by ALTER USER 'agent'@'%' IDENTIFIED BY '..' ACCOUNT UNLOCK, in PostgreSQL
// by ALTER ROLE agent LOGIN PASSWORD '..'.
//
// In PostgreSQL, rights that everybody has are the account's too: the script takes
// from PUBLIC what would let the account make things or read past a view. Where it
// turns row-level security on for a table that had none, the policy qed_others
// leaves everybody else what they had: drop it before you write others for them.
func SQL(p *Policy) (Script, error) {
	switch {
	case p == nil:
		return nil, invalid("policy", "is missing")
	case p.Dialect == "":
		return nil, invalid("dialect", "is missing: it says for which server to write")
	case p.Setup == nil:
		return nil, invalid("setup", "is missing: it says who reads and what the views do")
	}
	c, err := newCatalog(p, p.Dialect)
	if err != nil {
		return nil, err
	}
	s := &scripter{Setup: p.Setup, server: servers[p.Dialect], schema: c.schema}
	if s.account, err = s.server.account(s.Account); err != nil {
		return nil, err
	}
	for _, o := range c.objects {
		s.objects = append(s.objects, &object{o, p.Setup.Tables[c.display(o)]})
	}
	s.server.script(s)
	s.script[0] = `-- Made from a policy. Review it, then run it as the administrator with whose rights the views are to
-- read. It can be run again.

` + s.script[0]
	return s.script, nil
}

// scripter writes the script of a policy that was checked.
type scripter struct {
	*Setup
	server  *server
	account string // quoted
	schema  string // of the policy
	objects []*object
	script  Script
}

// object is a table of the policy and what its setup says.
type object struct {
	*sqlast.Object
	SecureTable
}

func (o *object) hasView() bool { return o.Name != o.Logical }

// barrier reports whether the filters of the view come before whatever a
// statement asks.
func (o *object) barrier() bool { return len(o.Filters) > 0 && !o.NoBarrier }

// part adds statements, with a comment before the first.
func (s *scripter) part(comment string, statements []string) {
	for i, statement := range statements {
		if i == 0 {
			statement = comment + "\n" + statement
		}
		s.script = append(s.script, statement)
	}
}

// views is what make makes of each table that has a view.
func (s *scripter) views(make func(*object) string) []string {
	var views []string
	for _, o := range s.objects {
		if o.hasView() {
			views = append(views, make(o))
		}
	}
	return views
}

// grants lets the account read the views, and of tables without one exactly the
// columns that the policy lists.
func (s *scripter) grants() []string {
	var grants []string
	for _, o := range s.objects {
		columns := ""
		if !o.hasView() { // a view has no other columns
			columns = " (" + strings.Join(s.names(o.Columns), ", ") + ")"
		}
		grants = append(grants, fmt.Sprintf("GRANT SELECT%s ON TABLE %s TO %s", columns, s.table(o.Schema, o.Name), s.account))
	}
	return grants
}

// encrypted reports whether a view reads an encrypted column.
func (s *scripter) encrypted() bool {
	for _, o := range s.objects {
		for _, column := range o.Columns {
			if _, encrypted := o.encryption(column); encrypted {
				return true
			}
		}
	}
	return false
}

// name prints a name as an identifier.
func (s *scripter) name(name string) string { return quote(name, s.server.mark) }

func (s *scripter) names(list []string) []string {
	names := make([]string, len(list))
	for i, name := range list {
		names[i] = s.name(name)
	}
	return names
}

// table prints the name of something in a schema.
func (s *scripter) table(schema, name string) string { return s.name(schema) + "." + s.name(name) }

// quote puts marks around a text and doubles those in it.
func quote(text, mark string) string {
	return mark + strings.ReplaceAll(text, mark, mark+mark) + mark
}
