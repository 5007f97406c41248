package postgresdb

import (
	"context"
	"database/sql"
	"maps"
	"slices"
	"strings"

	"github.com/qedkit/qed/internal/failure"
	"github.com/qedkit/qed/internal/keyset"
	"github.com/qedkit/qed/internal/policycheck"
	"github.com/qedkit/qed/secureview"
	"github.com/qedkit/qed/sqldb"
)

// Check examines the account that connects and, if the policy names another
// account for statements, that one too.
func (e *engine) Check(ctx context.Context, conn *sql.Conn, p *secureview.Policy) ([]sqldb.Finding, error) {
	c, err := e.catalog(ctx, conn)
	if err != nil {
		return nil, err
	}
	defer c.close()
	k := &check{catalog: c, needs: needs{objects: map[name][]string{}, hidden: map[name]bool{}}}
	if p != nil {
		if err := k.needs.read(p); err != nil {
			return nil, err
		}
	}
	if err := k.notEmpty(ctx); err != nil {
		return nil, err
	}
	reader, err := k.accounts(ctx, p)
	if err != nil {
		return nil, err
	}
	for _, k.account = range k.all {
		if err := k.excess(ctx, p != nil); err != nil {
			return nil, err
		}
	}
	if k.account = reader; p != nil && reader != "" {
		if err := k.readable(ctx); err != nil {
			return nil, err
		}
	}
	return k.findings, nil
}

// A check compares what accounts may do with what a policy needs.
type check struct {
	*catalog
	needs
	all      []string // the accounts to examine
	account  string   // the one that is being examined
	findings []sqldb.Finding
}

func (k *check) add(kind sqldb.FindingKind, object, message, fix string) {
	known := func(f sqldb.Finding) bool { return f.Kind == kind && f.Fix == fix && fix != "" }
	if !slices.ContainsFunc(k.findings, known) { // two accounts may have a right from the same role
		k.findings = append(k.findings, sqldb.Finding{Kind: kind, Object: object, Message: message, Fix: fix})
	}
}

// needs is what an account needs for a policy.
type needs struct {
	schemas []string
	objects map[name][]string // what statements read, with its columns
	hidden  map[name]bool     // the tables that a view replaces
	filters map[name][]string // the settings by which the server must filter an object
}

func (n *needs) read(p *secureview.Policy) error {
	if p.Schema == "" {
		return failure.New(sqldb.ErrArgument, "the policy names no schema")
	}
	n.schemas = append([]string{p.Schema}, slices.Sorted(maps.Keys(p.Schemas))...)
	objects, views := policycheck.Objects(p)
	for _, o := range objects {
		n.objects[name{o.Schema, o.Name}] = o.Columns
	}
	for table := range views {
		n.hidden[name{table.Schema, table.Name}] = true
	}
	if p.Setup != nil {
		n.readFilters(p)
	}
	return nil
}

// notEmpty returns an error if there is no table and no view.
func (k *check) notEmpty(ctx context.Context) error {
	where, in := "n.nspname !~ '^pg_' AND n.nspname <> 'information_schema'", "the database"
	if len(k.schemas) > 0 {
		where, in = "n.nspname IN ("+literals(k.schemas)+")", strings.Join(k.schemas, ", ")
	}
	var found bool
	err := k.tx.QueryRowContext(ctx, `
		SELECT EXISTS (SELECT FROM pg_class AS c JOIN pg_namespace AS n ON n.oid = c.relnamespace
			WHERE c.relkind IN ('r', 'p', 'v', 'm', 'f') AND `+where+`)`).Scan(&found)
	if err == nil && !found {
		return failure.New(sqldb.ErrEmpty,
			"there are no tables and no views in "+in+": check the database and the schema")
	}
	return err
}

// literals returns names as the literals of a list, which is never empty.
func literals(names []string) string {
	list := []string{"NULL"}
	for _, name := range names {
		list = append(list, literal(name))
	}
	return strings.Join(list, ", ")
}

// accounts sets the accounts to examine, and returns the one that reads. It
// returns "" if the account of the policy cannot be used.
func (k *check) accounts(ctx context.Context, p *secureview.Policy) (reader string, err error) {
	var login string
	if err := k.tx.QueryRowContext(ctx, "SELECT CURRENT_USER::text").Scan(&login); err != nil {
		return "", err
	}
	k.all = []string{login}
	if p == nil || p.Setup == nil || p.Setup.Account == "" || p.Setup.Account == login {
		return login, nil
	}
	reader = p.Setup.Account
	var exists, member bool
	err = k.tx.QueryRowContext(ctx, `
		SELECT count(*) > 0, coalesce(bool_or(pg_has_role(oid, 'MEMBER')), false)
		FROM pg_roles WHERE rolname = `+literal(reader)).Scan(&exists, &member)
	switch {
	case err != nil:
		return "", err
	case !exists:
		k.add(sqldb.CannotRead, reader, "there is no role "+reader+", which is the account of the policy's setup", "")
		return "", nil
	case !member:
		k.add(sqldb.CannotRead, reader,
			login+" is not a member of "+reader+", which is the account of the policy's setup",
			"GRANT "+quote(reader)+" TO "+quote(login))
		return "", nil
	}
	k.all = append(k.all, reader)
	return reader, nil
}

// readable adds the findings about objects that the policy lists and the
// account cannot read, or can read without a filter.
func (k *check) readable(ctx context.Context) error {
	type state struct {
		usage, view       bool
		columns, readable []string
	}
	there := map[name]state{}
	var n name
	var s state
	var columns, readable keyset.Names
	account := literal(k.account)
	err := keyset.Each(ctx, k.tx, `
		SELECT n.nspname, c.relname, has_schema_privilege(`+account+`::name, n.oid, 'USAGE'), c.relkind = 'v',
			json_agg(a.attname),
			json_agg(a.attname) FILTER (WHERE has_column_privilege(`+account+`::name, c.oid, a.attnum, 'SELECT'))
		FROM pg_class AS c JOIN pg_namespace AS n ON n.oid = c.relnamespace
		JOIN pg_attribute AS a ON a.attrelid = c.oid AND a.attnum > 0 AND NOT a.attisdropped
		WHERE c.relkind IN ('r', 'p', 'v', 'm', 'f') AND n.nspname IN (`+literals(k.schemas)+`)
		GROUP BY n.nspname, n.oid, c.relname, c.oid, c.relkind`,
		[]any{&n.schema, &n.name, &s.usage, &s.view, &columns, &readable}, func() {
			s.columns, s.readable = columns, readable
			there[n] = s
		})
	if err != nil {
		return err
	}
	for _, n := range slices.SortedFunc(maps.Keys(k.objects), byName) {
		s, ok := there[n]
		if !ok {
			var known []string
			for other := range there {
				if other.schema == n.schema {
					known = append(known, other.name)
				}
			}
			k.findings = append(k.findings, policycheck.Table(n.String(), n.name, known))
			continue
		}
		if !s.usage {
			k.add(sqldb.CannotRead, n.schema,
				k.account+" may not use the schema "+n.schema,
				"GRANT USAGE ON SCHEMA "+quote(n.schema)+" TO "+quote(k.account))
		}
		same := func(a, b string) bool { return a == b }
		k.findings = append(k.findings, policycheck.Columns(n.String(), k.objects[n], s.columns, same)...)
		var denied []string
		for _, column := range k.objects[n] {
			if slices.Contains(s.columns, column) && !slices.Contains(s.readable, column) {
				denied = append(denied, quote(column))
			}
		}
		if len(denied) == 0 {
			continue
		}
		grant := "GRANT SELECT (" + strings.Join(denied, ", ") + ")"
		if s.view {
			grant = "GRANT SELECT"
		}
		k.add(sqldb.CannotRead, n.String(),
			k.account+" may not read "+n.String()+", which the policy lists",
			grant+" ON "+n.quoted()+" TO "+quote(k.account))
	}
	if err := k.operators(ctx); err != nil {
		return err
	}
	return k.filtered(ctx)
}

// operators adds the findings about the schemas of types without which statements
// would be refused. Who may create objects there is a finding of surroundings.
func (k *check) operators(ctx context.Context) error {
	var columns []sqldb.Object
	for n, names := range k.objects {
		columns = append(columns, sqldb.Object{Schema: n.schema, Name: n.name, Columns: names})
	}
	found, err := operatorSchemas(ctx, k.tx, literal(k.account)+"::name", "", columns)
	for _, s := range found {
		if s.typ != "" && !s.usable {
			k.add(sqldb.CannotRead, s.name,
				k.account+" may not use the schema "+s.name+", which has the operators of the type "+s.typ,
				"GRANT USAGE ON SCHEMA "+quote(s.name)+" TO "+quote(k.account))
		}
	}
	return err
}

func byName(a, b name) int { return strings.Compare(a.quoted(), b.quoted()) }

func (n name) quoted() string { return quote(n.schema) + "." + quote(n.name) }
