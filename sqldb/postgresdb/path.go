package postgresdb

import (
	"context"
	"database/sql"
	"slices"
	"strings"

	"github.com/qedkit/qed/internal/failure"
	"github.com/qedkit/qed/internal/keyset"
	"github.com/qedkit/qed/internal/sqlast"
	"github.com/qedkit/qed/sqldb"
)

// An operatorSchema is a schema with operators for the types of columns. Extensions
// such as citext put them there: without the schema in the search path, = would compare
// two citext as texts.
type operatorSchema struct {
	name   string
	typ    string // a type of the schema's operators that is not PostgreSQL's own, or empty
	usable bool   // the account has USAGE
	public bool   // everybody may create objects there
	own    bool   // the account may create objects there, and is no superuser
	alien  string // an operator or function there that no extension owns, or empty
}

// operatorSchemas returns the schemas with operators for the types of the columns that
// a statement reads, for an account that is given as an expression.
func operatorSchemas(
	ctx context.Context, db keyset.Querier, account, statement string, columns []sqldb.Object,
) (found []operatorSchema, err error) {
	var list []string
	for _, o := range columns {
		for _, column := range o.Columns {
			list = append(list, "("+literal(o.Schema)+", "+literal(o.Name)+", "+literal(column)+")")
		}
	}
	if len(list) == 0 {
		return nil, nil
	}
	var s operatorSchema
	err = keyset.Each(ctx, db, `
		WITH RECURSIVE used(type) AS (
			SELECT a.atttypid
			FROM pg_attribute AS a JOIN pg_class AS c ON c.oid = a.attrelid JOIN pg_namespace AS n ON n.oid = c.relnamespace
			WHERE (n.nspname, c.relname, a.attname) IN (`+strings.Join(list, ", ")+`)
			UNION
			SELECT part.type
			FROM used JOIN pg_type AS t ON t.oid = used.type, LATERAL (
				SELECT t.typbasetype UNION ALL SELECT t.typelem UNION ALL
				SELECT a.atttypid FROM pg_attribute AS a WHERE a.attrelid = t.typrelid AND a.attnum > 0 AND NOT a.attisdropped
			) AS part(type)
			WHERE part.type <> 0
		)
		SELECT n.nspname, coalesce(min(t.typname::text) FILTER (WHERE t.typnamespace <> 11), ''),
			has_schema_privilege(`+account+`, n.oid, 'USAGE'),
			EXISTS (SELECT FROM aclexplode(n.nspacl) AS x WHERE x.grantee = 0 AND x.privilege_type = 'CREATE'),
			has_schema_privilege(`+account+`, n.oid, 'CREATE')
				AND NOT EXISTS (SELECT FROM pg_roles AS r WHERE r.rolname = `+account+` AND r.rolsuper),
			coalesce((SELECT min(x.name) FROM (`+alien("n.oid", statement)+`) AS x(name)), '')
		FROM used JOIN pg_type AS t ON t.oid = used.type JOIN pg_operator AS o ON t.oid IN (o.oprleft, o.oprright)
		JOIN pg_namespace AS n ON n.oid = o.oprnamespace AND n.oid <> 11
		WHERE `+member("pg_operator", "o.oid")+`
		GROUP BY n.oid, n.nspname, n.nspacl
		ORDER BY n.nspname`, // 11 is the OID of pg_catalog
		[]any{&s.name, &s.typ, &s.usable, &s.public, &s.own, &s.alien}, func() {
			found = append(found, s)
		})
	return found, err
}

// alien returns a query for the operators, and for the overloaded functions of a
// statement, that a schema has and no extension owns.
func alien(schema, statement string) string {
	return `
		SELECT o.oprname::text FROM pg_operator AS o
		WHERE o.oprnamespace = ` + schema + ` AND NOT ` + member("pg_operator", "o.oid") + `
		UNION ALL
		SELECT f.proname::text FROM pg_proc AS f
		WHERE f.pronamespace = ` + schema + ` AND f.proname IN (` + overloaded(statement) + `) AND NOT ` + member("pg_proc", "f.oid")
}

// overloaded returns the list of the functions that a statement calls without a schema.
func overloaded(statement string) string {
	list := "NULL"
	for _, name := range sqlast.Overloaded {
		if strings.Contains(statement, name+"(") {
			list += ", '" + name + "'"
		}
	}
	return list
}

// member returns the condition that an object of the catalogue belongs to an extension.
func member(class, id string) string {
	return "EXISTS (SELECT FROM pg_depend AS d WHERE d.classid = '" + class + "'::regclass AND d.objid = " + id +
		" AND d.refclassid = 'pg_extension'::regclass AND d.deptype = 'e')"
}

// problem returns why the schema cannot be in a search path, and the statement or the
// action that changes it. It returns empty texts if the schema can.
func (s *operatorSchema) problem() (reason, fix string) {
	switch {
	case !s.usable:
		return "which the account may not use", "GRANT USAGE ON SCHEMA " + quote(s.name) + " to the account"
	case s.public:
		return "where everybody may create operators", "REVOKE CREATE ON SCHEMA " + quote(s.name) + " FROM PUBLIC"
	case s.alien != "":
		return "where " + s.alien + " belongs to no extension",
			"move the extension to a schema of its own, or name the schema in Session.SearchPath"
	}
	return "", ""
}

// operatorPath returns the schemas in which the operators of a query's columns are
// looked up, after those of the session. It reports whether the result may be kept: if
// the account itself may create operators in one of them, each statement looks again.
//
// A schema that a type outside PostgreSQL needs and that cannot be in the path is an
// error. Without it, the statement would run with other operators.
func operatorPath(ctx context.Context, conn *sql.Conn, q *sqldb.Query) (path []string, keep bool, err error) {
	found, err := operatorSchemas(ctx, conn, "CURRENT_USER", q.SQL, q.Objects)
	keep = true
	for _, s := range found {
		if slices.Contains(q.Session.SearchPath, s.name) {
			continue
		}
		reason, fix := s.problem()
		switch {
		case reason == "":
			path = append(path, s.name)
			keep = keep && !s.own
		case s.typ != "":
			return nil, false, failure.Newf(sqldb.ErrAccount, "a column of the statement has the type %s, whose operators are in the schema %s, "+
				"%s: %s", s.typ, s.name, reason, fix)
		}
	}
	return path, keep, err
}
