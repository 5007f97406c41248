package postgresdb

import (
	"context"
	"slices"
	"strings"

	"github.com/qedkit/qed/sqldb"
)

// excess finds what the account may do beyond reading what the policy lists. Each
// right is found at the role that it was given to, as only there it can be taken
// away: the account, a role that it is in, or everybody.
func (k *check) excess(ctx context.Context, policy bool) error {
	superuser, err := k.attributes(ctx)
	if err != nil || superuser {
		return err // who may do everything has nothing that could be told apart
	}
	if err := k.memberships(ctx); err != nil {
		return err
	}
	if err := k.ownership(ctx); err != nil {
		return err
	}
	if err := k.surroundings(ctx); err != nil {
		return err
	}
	return k.tables(ctx, policy)
}

// attributes are what a role may do by itself; none is inherited.
var attributes = []struct {
	column, word string
	problem      sqldb.Problem
	message      string
}{
	{"rolsuper", "NOSUPERUSER", sqldb.CanSkipPolicy, "is a superuser: no grant and no row-level security holds for it"},
	{"rolbypassrls", "NOBYPASSRLS", sqldb.CanSkipPolicy, "is above row-level security"},
	{"rolreplication", "NOREPLICATION", sqldb.CanReadMore, "may replicate, and so read, the whole server"},
	{"rolcreaterole", "NOCREATEROLE", sqldb.CanWrite, "may make and change roles"},
	{"rolcreatedb", "NOCREATEDB", sqldb.CanWrite, "may make databases"},
}

func (k *check) attributes(ctx context.Context) (superuser bool, err error) {
	has, first := make([]bool, len(attributes)), false
	columns, dest := make([]string, len(has)), make([]any, len(has), len(has)+1)
	for i, a := range attributes {
		columns[i], dest[i] = a.column, &has[i]
	}
	err = k.tx.QueryRowContext(ctx, "SELECT "+strings.Join(columns, ", ")+", oid = 10 FROM pg_roles WHERE rolname = "+literal(k.account)).Scan(append(dest, &first)...)
	if err != nil {
		return false, err
	}
	if first {
		k.add(sqldb.CanSkipPolicy, k.account, k.account+" is the superuser of the server itself: connect as an account of its own, such as provision.SQL makes", "")
		return true, nil
	}
	for i, a := range attributes {
		if has[i] {
			k.add(a.problem, k.account, k.account+" "+a.message, "ALTER ROLE "+quote(k.account)+" "+a.word)
		}
	}
	return has[0], nil
}

// predefined is the server's roles whose members may do more than what belongs
// to administrators.
var predefined = map[string]sqldb.Problem{
	"pg_read_server_files":      sqldb.CanReadFiles,
	"pg_write_server_files":     sqldb.CanReadFiles,
	"pg_execute_server_program": sqldb.CanReadFiles,
	"pg_read_all_data":          sqldb.CanReadMore,
	"pg_read_all_settings":      sqldb.CanReadMore,
	"pg_read_all_stats":         sqldb.CanReadMore, // of statements of others, with the settings in them
	"pg_stat_scan_tables":       sqldb.CanReadMore,
	"pg_monitor":                sqldb.CanReadMore,
}

// memberships finds roles that the account, or a role that it is in, was made a
// member of and should not be, the server's own and administrators', and those that
// it may hand on.
func (k *check) memberships(ctx context.Context) error {
	var role, member string
	var super, skips, creates, replicates, grants bool
	return k.each(ctx, `
		SELECT r.rolname, m.rolname, r.rolsuper, r.rolbypassrls, r.rolcreaterole OR r.rolcreatedb, r.rolreplication, am.admin_option
		FROM pg_auth_members AS am JOIN pg_roles AS r ON r.oid = am.roleid JOIN pg_roles AS m ON m.oid = am.member
		WHERE pg_has_role(`+literal(k.account)+`::name, m.oid, 'MEMBER') AND m.rolname NOT LIKE 'pg\_%'
			AND (r.rolname LIKE 'pg\_%' OR r.rolsuper OR r.rolbypassrls OR r.rolcreaterole OR r.rolcreatedb OR r.rolreplication OR am.admin_option)
		ORDER BY r.rolname, m.rolname`,
		[]any{&role, &member, &super, &skips, &creates, &replicates, &grants}, func() error {
			problem, ok := predefined[role]
			switch {
			case ok:
			case grants && !super && !skips && !creates && !replicates && !strings.HasPrefix(role, "pg_"):
				k.add(sqldb.CanWrite, role, member+" may grant others the role "+role+k.andMember(member), "REVOKE ADMIN OPTION FOR "+quote(role)+" FROM "+quote(member))
				return nil
			case super, skips:
				problem = sqldb.CanSkipPolicy
			case replicates:
				problem = sqldb.CanReadMore
			default:
				problem = sqldb.CanWrite
			}
			k.add(problem, role, member+" is a member of "+role+k.andMember(member), "REVOKE "+quote(role)+" FROM "+quote(member))
			return nil
		})
}

// andMember tells how the account has what a role has.
func (k *check) andMember(role string) string {
	if role == k.account {
		return ""
	}
	return ", and " + k.account + " of " + role
}

// ownership finds what the account owns.
func (k *check) ownership(ctx context.Context) error {
	var kind, owner, heir string
	var n name
	return k.each(ctx, `
		WITH owned(kind, schema, name, owner) AS (
			SELECT 'TABLE', n.nspname, c.relname, c.relowner
			FROM pg_class AS c JOIN pg_namespace AS n ON n.oid = c.relnamespace
			WHERE c.relkind IN ('r', 'p', 'v', 'm', 'f') OR c.relkind = 'S' AND NOT EXISTS (
				SELECT FROM pg_depend AS d WHERE d.classid = 'pg_class'::regclass AND d.objid = c.oid AND d.deptype IN ('a', 'i'))
			UNION ALL
			SELECT 'ROUTINE', '', p.oid::regprocedure::text, p.proowner FROM pg_proc AS p
			UNION ALL
			SELECT 'SCHEMA', '', nspname, nspowner FROM pg_namespace
			UNION ALL
			SELECT 'DATABASE', '', datname, datdba FROM pg_database WHERE datname = current_database()
		)
		SELECT o.kind, o.schema, o.name, r.rolname, heir.rolname
		FROM owned AS o JOIN pg_roles AS r ON r.oid = o.owner, pg_database AS d JOIN pg_roles AS heir
			ON heir.oid = CASE WHEN pg_has_role(`+literal(k.account)+`::name, d.datdba, 'MEMBER') THEN 10 ELSE d.datdba END
		WHERE d.datname = current_database() AND r.rolname NOT LIKE 'pg\_%' AND pg_has_role(`+literal(k.account)+`::name, o.owner, 'MEMBER')
		ORDER BY o.kind, o.schema, o.name`,
		[]any{&kind, &n.schema, &n.name, &owner, &heir}, func() error {
			problem := sqldb.CanWrite
			if _, listed := k.objects[n]; listed || k.hidden[n] {
				problem = sqldb.CanSkipPolicy
			}
			if owner != k.account {
				k.add(problem, n.String(), owner+" owns "+n.String()+", and "+k.account+" is a member of "+owner, "REVOKE "+quote(owner)+" FROM "+quote(k.account))
				return nil
			}
			object, also := quote(n.name), ""
			switch kind {
			case "TABLE":
				object, also = n.quoted(), " and is above its row-level security"
			case "ROUTINE":
				object = n.name // with its arguments, and quoted
			}
			k.add(problem, n.String(), owner+" owns "+n.String()+" and may change it"+also, "ALTER "+kind+" "+object+" OWNER TO "+quote(heir))
			return nil
		})
}

// grants reads who was given rights that the account has, of what its argument
// selects: key columns, an access list, and an owner, whose rights are its
// ownership; and which of these may be handed on. An empty grantee is everybody.
func (k *check) grants(selected string) string {
	return `
		SELECT s.a, s.b, s.c, coalesce(r.rolname, ''), json_agg(DISTINCT x.privilege_type), json_agg(DISTINCT x.privilege_type) FILTER (WHERE x.is_grantable)
		FROM (` + selected + `) AS s(a, b, c, acl, owner), aclexplode(s.acl) AS x LEFT JOIN pg_roles AS r ON r.oid = x.grantee
		WHERE x.grantee <> s.owner AND (x.grantee = 0 OR pg_has_role(` + literal(k.account) + `::name, x.grantee, 'MEMBER'))
		GROUP BY s.a, s.b, s.c, r.rolname
		ORDER BY s.a, s.b, s.c, r.rolname`
}

// surroundings finds rights in schemas, in the database and for functions that
// read files.
func (k *check) surroundings(ctx context.Context) error {
	var kind, object, sqlName, grantee string
	var rights, grantable list
	return k.each(ctx, k.grants(`
		SELECT 'SCHEMA', nspname::text, quote_ident(nspname), coalesce(nspacl, acldefault('n', nspowner)), nspowner
		FROM pg_namespace WHERE nspname NOT LIKE 'pg\_%' AND nspname <> 'information_schema'
		UNION ALL
		SELECT 'DATABASE', datname::text, quote_ident(datname), coalesce(datacl, acldefault('d', datdba)), datdba
		FROM pg_database WHERE datname = current_database()
		UNION ALL
		SELECT 'FUNCTION', proname::text, 'pg_catalog.' || quote_ident(proname) || '(' || pg_get_function_identity_arguments(oid) || ')', coalesce(proacl, acldefault('f', proowner)), proowner
		FROM pg_proc
		WHERE pronamespace = 'pg_catalog'::regnamespace AND proname IN (
			'pg_read_file', 'pg_read_binary_file', 'pg_ls_dir', 'pg_stat_file', 'lo_import', 'lo_export', 'pg_file_write', 'pg_file_unlink', 'pg_file_rename', 'pg_file_sync')`),
		[]any{&kind, &object, &sqlName, &grantee, &rights, &grantable}, func() error {
			problem := sqldb.CanWrite
			var excess []string
			for _, right := range rights {
				switch right {
				case "CREATE", "TEMPORARY":
					excess = append(excess, right)
				case "EXECUTE":
					problem = sqldb.CanReadFiles
					excess = append(excess, right)
				}
			}
			if len(excess) > 0 {
				k.excessive(problem, strings.ToLower(kind)+" "+object, kind+" "+sqlName, grantee, excess)
			}
			k.grantable(strings.ToLower(kind)+" "+object, kind+" "+sqlName, grantee, without(grantable, excess))
			return nil
		})
}

// tables finds rights for tables, views and sequences, those for columns among
// them: revoking the one revokes the other. In a schema that the account cannot
// use, its rights are of no use, unless the policy needs that schema.
func (k *check) tables(ctx context.Context, policy bool) error {
	var n name
	var kind, grantee string
	var rights, grantable list
	return k.each(ctx, k.grants(`
		SELECT n.nspname::text, c.relname::text, CASE WHEN c.relkind = 'S' THEN 'SEQUENCE' WHEN EXISTS (
				SELECT FROM pg_depend AS d WHERE d.classid = 'pg_class'::regclass AND d.objid = c.oid AND d.deptype = 'e') THEN 'EXTENSION' ELSE 'TABLE' END,
			(SELECT array_agg(i) FROM (
				SELECT unnest(c.relacl) UNION ALL
				SELECT unnest(a.attacl) FROM pg_attribute AS a WHERE a.attrelid = c.oid AND NOT a.attisdropped) AS x(i)), c.relowner
		FROM pg_class AS c JOIN pg_namespace AS n ON n.oid = c.relnamespace
		WHERE c.relkind IN ('r', 'p', 'v', 'm', 'f', 'S') AND n.nspname NOT LIKE 'pg\_%' AND n.nspname <> 'information_schema'
			AND (has_schema_privilege(`+literal(k.account)+`::name, n.oid, 'USAGE') OR n.nspname IN (`+k.inSchemas()+`))`),
		[]any{&n.schema, &n.name, &kind, &grantee, &rights, &grantable}, func() error {
			_, listed := k.objects[n]
			var writes []string
			for _, right := range rights {
				if right != "SELECT" {
					writes = append(writes, right)
				}
			}
			object := "TABLE " + n.quoted()
			if kind == "SEQUENCE" {
				object = "SEQUENCE " + n.quoted()
			}
			if len(writes) > 0 {
				k.excessive(sqldb.CanWrite, n.String(), object, grantee, writes)
			}
			if listed {
				k.grantable(n.String(), object, grantee, without(grantable, writes))
			}
			if kind != "TABLE" || !policy || listed || !slices.Contains(rights, "SELECT") {
				return nil
			}
			problem := sqldb.CanReadMore
			if k.hidden[n] {
				problem = sqldb.CanReadBase
			}
			k.excessive(problem, n.String(), object, grantee, []string{"SELECT"})
			return nil
		})
}

// grantable adds a finding of rights that a role may hand on.
func (k *check) grantable(object, sqlName, grantee string, rights []string) {
	if len(rights) == 0 {
		return
	}
	what := strings.Join(rights, ", ") + " on " + object
	message := grantee + " may grant others " + what
	if grantee != k.account {
		message += ", and " + k.account + " is a member of " + grantee
	}
	k.add(sqldb.CanWrite, object, message, "REVOKE GRANT OPTION FOR "+strings.Join(rights, ", ")+" ON "+sqlName+" FROM "+quote(grantee))
}

// excessive adds a finding of rights that a role was given; an empty one is
// everybody.
func (k *check) excessive(problem sqldb.Problem, object, sqlName, grantee string, rights []string) {
	what := strings.Join(rights, ", ") + " on " + object
	message, from := grantee+" has "+what, quote(grantee)
	switch grantee {
	case "":
		message, from = "everybody has "+what, "PUBLIC"
	case k.account:
	default:
		message += ", and " + k.account + " is a member of " + grantee
	}
	k.add(problem, object, message, "REVOKE "+strings.Join(rights, ", ")+" ON "+sqlName+" FROM "+from)
}
