package provision

import (
	"cmp"
	"fmt"
	"regexp"
	"slices"
	"strings"

	"github.com/qedkit/qed/internal/ascii"
	"github.com/qedkit/qed/internal/lists"
	"github.com/qedkit/qed/internal/sqlast"
	"github.com/qedkit/qed/secureview"
)

var postgresServer = server{
	account: postgresAccount,
	setting: func(name string) error {
		if !postgresSettingName.MatchString(name) || len(name) > 63 {
			return fmt.Errorf(
				"is %q: in postgres a setting has two parts, such as app.key, and at most 63 letters, digits and _",
				name)
		}
		return nil
	},
	extensionSchema: sqlast.CheckName,
	types: regexp.MustCompile(`^(?i:text|bytea|boolean|smallint|integer|bigint|real|double precision` +
		`|(numeric|decimal)(\(\d{1,4}(, ?\d{1,4})?\))?` +
		`|date|time|timestamp|timestamptz|interval|uuid|json|jsonb)$`),
	typeNames: "text, bytea, boolean, smallint, integer, bigint, numeric(p,s), real, double precision, date, time, " +
		"timestamp, timestamptz, interval, uuid, json, jsonb",
	rowSecurity: true,
	mark:        `"`,
	script:      postgresScript,
	filter:      (*scripter).postgresFilter,
	match:       (*scripter).postgresMatch,
}

var postgresSettingName = regexp.MustCompile(`^[A-Za-z_][A-Za-z0-9_]*\.[A-Za-z_][A-Za-z0-9_]*$`)

// postgresAccount checks and quotes the name of a role. PostgreSQL treats public
// and none as keywords even in quotes: a grant to public would be a grant to
// everybody.
func postgresAccount(role string) (string, error) {
	const longest = 52 // so that the names of its policies fit in 63
	if err := sqlast.CheckName(role); err != nil {
		return "", err
	}
	switch {
	case role == "public" || role == "none" || role == "postgres" || strings.HasPrefix(role, "pg_"):
		return "", fmt.Errorf("is %q, which the server reserves", role)
	case strings.Contains(role, "'@'"):
		return "", fmt.Errorf("is %s, which is an account of mysql: write the name of a role", role)
	case len(role) > longest:
		return "", fmt.Errorf("is longer than %d bytes", longest)
	}
	return quote(role, `"`), nil
}

// The prefixes of the account's row-level security policies on a table.
const (
	readPolicy   = "qed_read_"
	filterPolicy = "qed_filter_"
)

// postgresLiteral returns a string literal that means the same under all settings
// of the server.
func postgresLiteral(text string) string {
	if strings.Contains(text, `\`) {
		return " E" + quote(strings.ReplaceAll(text, `\`, `\\`), "'")
	}
	return quote(text, "'")
}

// postgresDo returns a DO statement that runs a block of PL/pgSQL.
func postgresDo(lines string) string {
	mark := "$qed$"
	for strings.Contains(lines, mark) {
		mark = mark[:len(mark)-1] + "q$"
	}
	return "DO " + mark + "\n" + lines + "\n" + mark
}

func postgresScript(s *scripter) {
	if s.readsEncrypted() {
		s.add("-- The extension that decrypts.",
			[]string{"CREATE EXTENSION IF NOT EXISTS pgcrypto WITH SCHEMA " + s.quote(s.cryptoSchema())})
	}
	s.add(`-- The account. It cannot log in: ALTER ROLE .. LOGIN, with a password or another credential, allows
-- it. All rights that it had in these schemas are revoked.`, s.postgresAccountRights())
	s.add("-- Rights of everybody are rights of the account. Grant them by name to other roles that need them.",
		s.postgresPublic())
	s.add("-- The secure views. They read session settings themselves.", s.views(s.postgresView))
	s.add(`-- Row-level security of tables without a view. If a table had none, other roles see the same rows as
-- before.`, s.postgresPolicies())
	s.add("-- What the account may read, and nothing else.", slices.Concat(s.postgresUsage(), s.grants()))
}

func (s *scripter) cryptoSchema() string { return cmp.Or(s.Key.Schema, "public") }

// schemas returns the schemas of the policy, sorted.
func (s *scripter) schemas() []string {
	var list []string
	for _, t := range s.tables {
		list = lists.Add(list, t.Schema)
	}
	return list
}

func (s *scripter) postgresAccountRights() []string {
	name := postgresLiteral(s.Account)
	statements := []string{postgresDo(`BEGIN
  IF NOT EXISTS (SELECT FROM pg_catalog.pg_roles WHERE rolname = ` + name + `) THEN
    CREATE ROLE ` + s.account + ` NOLOGIN;
  END IF;
  EXECUTE pg_catalog.format('GRANT CONNECT ON DATABASE %I TO %I', pg_catalog.current_database(), ` + name + `);
END`)}
	for _, schema := range s.schemas() {
		schema = s.quote(schema)
		statements = append(statements,
			"REVOKE ALL ON ALL TABLES IN SCHEMA "+schema+" FROM "+s.account,
			"REVOKE ALL ON SCHEMA "+schema+" FROM "+s.account)
	}
	return append(statements, s.postgresDropPolicies())
}

// postgresPublic revokes from PUBLIC what would let the account create objects or
// read a table that has a view.
func (s *scripter) postgresPublic() []string {
	statements := []string{postgresDo(`BEGIN
  EXECUTE pg_catalog.format('REVOKE TEMPORARY ON DATABASE %I FROM PUBLIC', pg_catalog.current_database());
  IF pg_catalog.to_regnamespace('public') IS NOT NULL THEN
    REVOKE CREATE ON SCHEMA public FROM PUBLIC;
  END IF;
END`)}
	for _, schema := range s.schemas() {
		if schema != "public" {
			statements = append(statements, "REVOKE CREATE ON SCHEMA "+s.quote(schema)+" FROM PUBLIC")
		}
	}
	for _, t := range s.tables {
		if t.View != "" {
			statements = append(statements, "REVOKE SELECT ON TABLE "+s.qualified(t.Schema, t.Name)+" FROM PUBLIC")
		}
	}
	return statements
}

// postgresDropPolicies drops the account's policies on all tables.
func (s *scripter) postgresDropPolicies() string {
	names := postgresLiteral(readPolicy+s.Account) + ", " + postgresLiteral(filterPolicy+s.Account)
	return postgresDo(`DECLARE
  policy record;
BEGIN
  FOR policy IN SELECT schemaname, tablename, policyname FROM pg_catalog.pg_policies
    WHERE policyname IN (` + names + `) LOOP
    EXECUTE pg_catalog.format('DROP POLICY %I ON %I.%I', policy.policyname, policy.schemaname, policy.tablename);
  END LOOP;
END`)
}

// postgresView creates the view of a table. Everything that the view calls is
// qualified with its schema, so that it does not depend on search_path.
func (s *scripter) postgresView(t *table) string {
	barrier, where := "", ""
	if t.isFiltered() {
		barrier = " WITH (security_barrier = true)"
	}
	if where = s.where(t); where != "" {
		where = "\nWHERE " + where
	}
	columns := lists.Map(t.Columns, func(column string) string { return s.postgresColumn(t, column) })
	return fmt.Sprintf("CREATE OR REPLACE VIEW %s%s AS\nSELECT %s\nFROM %s%s", s.qualified(t.Schema, t.View), barrier,
		strings.Join(columns, ",\n  "), s.qualified(t.Schema, t.Name), where)
}

func (s *scripter) postgresColumn(t *table, column string) string {
	name := s.quote(column)
	as, encrypted := encryption(t.TableSetup, column)
	if !encrypted {
		return name
	}
	function := "pgp_sym_decrypt"
	as = ascii.Lower(as)
	if as == "bytea" {
		function = "pgp_sym_decrypt_bytea"
	}
	plain := fmt.Sprintf("%s.%s(%s, %s)", s.quote(s.cryptoSchema()), function, name, postgresSetting(s.Key.Setting))
	if as != "text" && as != "bytea" {
		plain = "CAST(" + plain + " AS " + as + ")"
	}
	return plain + " AS " + name
}

// postgresSetting returns an expression for the value of a setting, which is NULL
// if the setting is missing or empty.
func postgresSetting(name string) string {
	return "NULLIF(pg_catalog.current_setting('" + name + "', true), '')"
}

// postgresFilter returns a filter of a view or a policy. A subquery reads a setting
// once, and not for each row.
func (s *scripter) postgresFilter(f secureview.Filter) string {
	column, setting := "CAST("+s.quote(f.Column)+" AS pg_catalog.text)", "(SELECT "+postgresSetting(f.Setting)+")"
	condition := column + " = " + setting
	if f.List {
		list := "pg_catalog.string_to_array(pg_catalog.current_setting('" + f.Setting + "', true), ',')"
		list = "(SELECT pg_catalog.array_remove(" + list + ", ''))"
		condition = column + " = ANY (CAST(" + list + " AS pg_catalog.text[]))"
	}
	if f.Optional {
		condition = "(" + setting + " IS NULL OR " + condition + ")"
	}
	return condition
}

// postgresMatch returns a condition of [secureview.Policy.Filters]. It is NULL if the
// setting is empty, also under NOT.
func (s *scripter) postgresMatch(column, setting string, list bool) string {
	column = "CAST(" + s.quote(column) + ` AS pg_catalog.text) COLLATE pg_catalog."C"`
	if list {
		values := "pg_catalog.array_remove(pg_catalog.string_to_array(" + postgresSetting(setting) + ", ','), '')"
		return column + " = ANY (CAST((SELECT NULLIF(" + values + ", '{}')) AS pg_catalog.text[]))"
	}
	return column + " = (SELECT " + postgresSetting(setting) + ")"
}

// postgresPolicies creates the row-level security of tables without a view. The
// restrictive policy filters rows whatever other policies the table has. The owner
// of the table is exempt, so that other users of the table see no change.
func (s *scripter) postgresPolicies() []string {
	var statements []string
	for _, t := range s.tables {
		if t.View != "" || !t.isFiltered() {
			continue
		}
		name := s.qualified(t.Schema, t.Name)
		literal := postgresLiteral(name)
		read, filter := s.quote(readPolicy+s.Account), s.quote(filterPolicy+s.Account)
		statements = append(statements,
			"CREATE POLICY "+filter+" ON "+name+" AS RESTRICTIVE FOR SELECT TO "+s.account+"\n"+
				"  USING ("+s.where(t)+")",
			"CREATE POLICY "+read+" ON "+name+" FOR SELECT TO "+s.account+" USING (true)",
			postgresDo(`BEGIN
  IF NOT (SELECT relrowsecurity FROM pg_catalog.pg_class WHERE oid = CAST(`+literal+` AS pg_catalog.regclass)) THEN
    DROP POLICY IF EXISTS qed_others ON `+name+`;
    CREATE POLICY qed_others ON `+name+` USING (true) WITH CHECK (true);
    ALTER TABLE `+name+` ENABLE ROW LEVEL SECURITY;
  END IF;
END`))
	}
	return statements
}

// postgresUsage grants the account the use of the schemas of the policy.
func (s *scripter) postgresUsage() []string {
	return lists.Map(s.schemas(), func(schema string) string {
		return "GRANT USAGE ON SCHEMA " + s.quote(schema) + " TO " + s.account
	})
}
