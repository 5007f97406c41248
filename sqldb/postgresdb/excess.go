package postgresdb

import (
	"context"
	"slices"
	"strings"

	"github.com/qedkit/qed/internal/keyset"
	"github.com/qedkit/qed/internal/lists"
	"github.com/qedkit/qed/sqldb"
)

// excess adds the findings about what the account may do beyond reading what
// the policy lists. Each right is reported for the grantee where it can be
// revoked: the account, a role of which it is a member, or everybody.
func (k *check) excess(ctx context.Context, policy bool) error {
	superuser, err := k.attributes(ctx)
	if err != nil || superuser {
		return err // a superuser has no single rights to report
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

// attributes are the attributes of roles, which are not inherited.
var attributes = []struct {
	column, word string
	problem      sqldb.FindingKind
	message      string
}{
	{"rolsuper", "NOSUPERUSER", sqldb.CanBypassPolicy, "is a superuser: no grants and no row-level security apply to it"},
	{"rolbypassrls", "NOBYPASSRLS", sqldb.CanBypassPolicy, "bypasses row-level security"},
	{"rolreplication", "NOREPLICATION", sqldb.CanReadUnlisted, "may replicate the whole server, and so read it"},
	{"rolcreaterole", "NOCREATEROLE", sqldb.CanWrite, "may create and change roles"},
	{"rolcreatedb", "NOCREATEDB", sqldb.CanWrite, "may create databases"},
}

func (k *check) attributes(ctx context.Context) (superuser bool, err error) {
	has, first := make([]bool, len(attributes)), false
	columns, dest := make([]string, len(has)), make([]any, len(has), len(has)+1)
	for i, a := range attributes {
		columns[i], dest[i] = a.column, &has[i]
	}
	query := "SELECT " + strings.Join(columns, ", ") + ", oid = 10 FROM pg_roles WHERE rolname = " + literal(k.account)
	err = k.tx.QueryRowContext(ctx, query).Scan(append(dest, &first)...)
	if err != nil {
		return false, err
	}
	if first {
		k.add(sqldb.CanBypassPolicy, k.account,
			k.account+" is the bootstrap superuser: connect as an account of its own, which package secureview/provision creates",
			"")
		return true, nil
	}
	for i, a := range attributes {
		if has[i] {
			k.add(a.problem, k.account, k.account+" "+a.message, "ALTER ROLE "+quote(k.account)+" "+a.word)
		}
	}
	return has[0], nil
}

// predefined are the server's own roles that give access to data, files or the
// statements of others.
var predefined = map[string]sqldb.FindingKind{
	"pg_read_server_files":      sqldb.CanReadFiles,
	"pg_write_server_files":     sqldb.CanReadFiles,
	"pg_execute_server_program": sqldb.CanReadFiles,
	"pg_read_all_data":          sqldb.CanReadUnlisted,
	"pg_read_all_settings":      sqldb.CanReadUnlisted,
	"pg_read_all_stats":         sqldb.CanReadUnlisted, // it shows the statements of others, with their settings
	"pg_stat_scan_tables":       sqldb.CanReadUnlisted,
	"pg_monitor":                sqldb.CanReadUnlisted,
}

// memberships adds the findings about roles that the account has, directly or
// through another role: the server's own, those of administrators, and those
// that it may grant to others.
func (k *check) memberships(ctx context.Context) error {
	var role, member string
	var super, skips, creates, replicates, grants bool
	return keyset.Each(ctx, k.tx, `
		SELECT r.rolname, m.rolname, r.rolsuper, r.rolbypassrls, r.rolcreaterole OR r.rolcreatedb, r.rolreplication,
			am.admin_option
		FROM pg_auth_members AS am JOIN pg_roles AS r ON r.oid = am.roleid JOIN pg_roles AS m ON m.oid = am.member
		WHERE pg_has_role(`+literal(k.account)+`::name, m.oid, 'MEMBER') AND m.rolname NOT LIKE 'pg\_%'
			AND (r.rolname LIKE 'pg\_%' OR r.rolsuper OR r.rolbypassrls OR r.rolcreaterole OR r.rolcreatedb OR r.rolreplication
				OR am.admin_option)
		ORDER BY r.rolname, m.rolname`,
		[]any{&role, &member, &super, &skips, &creates, &replicates, &grants}, func() {
			kind, ok := predefined[role]
			switch {
			case ok:
			case grants && !super && !skips && !creates && !replicates && !strings.HasPrefix(role, "pg_"):
				k.add(sqldb.CanWrite, role,
					member+" may grant the role "+role+" to others"+k.andMember(member),
					"REVOKE ADMIN OPTION FOR "+quote(role)+" FROM "+quote(member))
				return
			case super, skips:
				kind = sqldb.CanBypassPolicy
			case replicates:
				kind = sqldb.CanReadUnlisted
			default:
				kind = sqldb.CanWrite
			}
			k.add(kind, role,
				member+" is a member of "+role+k.andMember(member), "REVOKE "+quote(role)+" FROM "+quote(member))
		})
}

// andMember returns how the account has what a role has.
func (k *check) andMember(role string) string {
	if role == k.account {
		return ""
	}
	return ", and " + k.account + " is a member of " + role
}

// ownership adds the findings about what the account owns.
func (k *check) ownership(ctx context.Context) error {
	var class, owner, heir string
	var n name
	return keyset.Each(ctx, k.tx, `
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
		WHERE d.datname = current_database() AND r.rolname NOT LIKE 'pg\_%'
			AND pg_has_role(`+literal(k.account)+`::name, o.owner, 'MEMBER')
		ORDER BY o.kind, o.schema, o.name`,
		[]any{&class, &n.schema, &n.name, &owner, &heir}, func() {
			kind := sqldb.CanWrite
			if _, listed := k.objects[n]; listed || k.hidden[n] {
				kind = sqldb.CanBypassPolicy
			}
			if owner != k.account {
				k.add(kind, n.String(), owner+" owns "+n.String()+k.andMember(owner),
					"REVOKE "+quote(owner)+" FROM "+quote(k.account))
				return
			}
			object, also := quote(n.name), ""
			switch class {
			case "TABLE":
				object, also = n.quoted(), " and bypasses its row-level security"
			case "ROUTINE":
				object = n.name // with its arguments, and quoted
			}
			k.add(kind, n.String(),
				owner+" owns "+n.String()+" and may change it"+also,
				"ALTER "+class+" "+object+" OWNER TO "+quote(heir))
		})
}

// grants returns the query for the rights that the account has, their grantees,
// and which of them may be granted to others. selected is a query for three key
// columns, an access control list and an owner. The rights of the owner are
// left out, because ownership reports them. An empty grantee means everybody.
func (k *check) grants(selected string) string {
	return `
		SELECT s.a, s.b, s.c, coalesce(r.rolname, ''), json_agg(DISTINCT x.privilege_type),
			json_agg(DISTINCT x.privilege_type) FILTER (WHERE x.is_grantable)
		FROM (` + selected + `) AS s(a, b, c, acl, owner), aclexplode(s.acl) AS x LEFT JOIN pg_roles AS r ON r.oid = x.grantee
		WHERE x.grantee <> s.owner AND (x.grantee = 0 OR pg_has_role(` + literal(k.account) + `::name, x.grantee, 'MEMBER'))
		GROUP BY s.a, s.b, s.c, r.rolname
		ORDER BY s.a, s.b, s.c, r.rolname`
}

// surroundings adds the findings about rights on schemas, on the database and
// on functions that read files.
func (k *check) surroundings(ctx context.Context) error {
	var class, object, sqlName, grantee string
	var rights, grantable keyset.Names
	return keyset.Each(ctx, k.tx, k.grants(`
		SELECT 'SCHEMA', nspname::text, quote_ident(nspname), coalesce(nspacl, acldefault('n', nspowner)), nspowner
		FROM pg_namespace WHERE nspname NOT LIKE 'pg\_%' AND nspname <> 'information_schema'
		UNION ALL
		SELECT 'DATABASE', datname::text, quote_ident(datname), coalesce(datacl, acldefault('d', datdba)), datdba
		FROM pg_database WHERE datname = current_database()
		UNION ALL
		SELECT 'FUNCTION', proname::text, 'pg_catalog.' || quote_ident(proname)
				|| '(' || pg_get_function_identity_arguments(oid) || ')',
			coalesce(proacl, acldefault('f', proowner)), proowner
		FROM pg_proc
		WHERE pronamespace = 'pg_catalog'::regnamespace AND proname IN (
			'pg_read_file', 'pg_read_binary_file', 'pg_ls_dir', 'pg_stat_file', 'lo_import', 'lo_export',
			'pg_file_write', 'pg_file_unlink', 'pg_file_rename', 'pg_file_sync')`),
		[]any{&class, &object, &sqlName, &grantee, &rights, &grantable}, func() {
			kind := sqldb.CanWrite
			var excess []string
			for _, right := range rights {
				switch right {
				case "CREATE", "TEMPORARY":
					excess = append(excess, right)
				case "EXECUTE":
					kind = sqldb.CanReadFiles
					excess = append(excess, right)
				}
			}
			if len(excess) > 0 {
				k.excessive(kind, strings.ToLower(class)+" "+object, class+" "+sqlName, grantee, excess)
			}
			k.grantable(strings.ToLower(class)+" "+object, class+" "+sqlName, grantee, without(grantable, excess))
		})
}

// tables adds the findings about rights on tables, views and sequences. They
// include rights on columns, because revoking a right on a table also revokes
// it on its columns. Rights in a schema that the account cannot use have no
// effect and are left out, unless the policy needs the schema.
func (k *check) tables(ctx context.Context, policy bool) error {
	var n name
	var class, grantee string
	var rights, grantable keyset.Names
	return keyset.Each(ctx, k.tx, k.grants(`
		SELECT n.nspname::text, c.relname::text, CASE WHEN c.relkind = 'S' THEN 'SEQUENCE' WHEN EXISTS (
				SELECT FROM pg_depend AS d WHERE d.classid = 'pg_class'::regclass AND d.objid = c.oid AND d.deptype = 'e')
				THEN 'EXTENSION' ELSE 'TABLE' END,
			(SELECT array_agg(i) FROM (
				SELECT unnest(c.relacl) UNION ALL
				SELECT unnest(a.attacl) FROM pg_attribute AS a WHERE a.attrelid = c.oid AND NOT a.attisdropped) AS x(i)), c.relowner
		FROM pg_class AS c JOIN pg_namespace AS n ON n.oid = c.relnamespace
		WHERE c.relkind IN ('r', 'p', 'v', 'm', 'f', 'S') AND n.nspname NOT LIKE 'pg\_%' AND n.nspname <> 'information_schema'
			AND (has_schema_privilege(`+literal(k.account)+`::name, n.oid, 'USAGE') OR n.nspname IN (`+literals(k.schemas)+`))`),
		[]any{&n.schema, &n.name, &class, &grantee, &rights, &grantable}, func() {
			_, listed := k.objects[n]
			writes := lists.Filter(rights, func(right string) bool { return right != "SELECT" })
			object := "TABLE " + n.quoted()
			if class == "SEQUENCE" {
				object = "SEQUENCE " + n.quoted()
			}
			if len(writes) > 0 {
				k.excessive(sqldb.CanWrite, n.String(), object, grantee, writes)
			}
			if listed {
				k.grantable(n.String(), object, grantee, without(grantable, writes))
			}
			if class != "TABLE" || !policy || listed || !slices.Contains(rights, "SELECT") {
				return
			}
			kind := sqldb.CanReadUnlisted
			if k.hidden[n] {
				kind = sqldb.CanReadBaseTable
			}
			k.excessive(kind, n.String(), object, grantee, []string{"SELECT"})
		})
}

// grantable adds a finding about rights that a role may grant to others.
func (k *check) grantable(object, sqlName, grantee string, rights []string) {
	if len(rights) == 0 {
		return
	}
	what := strings.Join(rights, ", ") + " on " + object
	k.add(sqldb.CanWrite, object, grantee+" may grant "+what+" to others"+k.andMember(grantee),
		"REVOKE GRANT OPTION FOR "+strings.Join(rights, ", ")+" ON "+sqlName+" FROM "+quote(grantee))
}

// excessive adds a finding about rights of a grantee. An empty grantee means
// everybody.
func (k *check) excessive(kind sqldb.FindingKind, object, sqlName, grantee string, rights []string) {
	what := strings.Join(rights, ", ") + " on " + object
	message, from := grantee+" has "+what+k.andMember(grantee), quote(grantee)
	if grantee == "" {
		message, from = "everybody has "+what, "PUBLIC"
	}
	k.add(kind, object, message, "REVOKE "+strings.Join(rights, ", ")+" ON "+sqlName+" FROM "+from)
}
