package secureview

import (
	"cmp"
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strings"

	"github.com/qedkit/qed/internal/ascii"
)

var postgresServer = server{
	account: postgresAccount,
	setting: func(name string) error {
		if !postgresSettingName.MatchString(name) || len(name) > 63 {
			return fmt.Errorf("is %q: a setting here has two parts, as app.key, of letters, digits and underscores, and at most 63 of them", name)
		}
		return nil
	},
	function: func(string) error {
		return errors.New("is for mysql: views of postgres read the setting themselves")
	},
	extensionSchema: validName,
	hidden:          func(*Setup) []string { return postgresHidden },
	schemas:         []string{"information_schema", "pg_catalog"},
	types: regexp.MustCompile(`^(?i:text|bytea|boolean|smallint|integer|bigint|real|double precision|(numeric|decimal)(\(\d{1,4}(, ?\d{1,4})?\))?` +
		`|date|time|timestamp|timestamptz|interval|uuid|json|jsonb)$`),
	typeNames: "text, bytea, boolean, smallint, integer, bigint, numeric(p,s), real, double precision, date, time, " +
		"timestamp, timestamptz, interval, uuid, json, jsonb",
	rowSecurity: true,
	mark:        `"`,
	script:      postgresScript,
}

// postgresHidden is the functions that answer settings or change them, run a text
// that could, or show the texts of other sessions of the account.
var postgresHidden = []string{
	"current_setting", "set_config",
	"query_to_xml", "query_to_xml_and_xmlschema", "query_to_xmlschema", "ts_rewrite", "ts_stat",
	"pg_stat_get_activity", "pg_stat_get_backend_activity",
}

var postgresSettingName = regexp.MustCompile(`^[A-Za-z_][A-Za-z0-9_]*\.[A-Za-z_][A-Za-z0-9_]*$`)

// postgresAccount checks a role's name and quotes it. The server takes public and
// none for keywords even in quotes: a grant to public would be one to everybody.
func postgresAccount(role string) (string, error) {
	const longest = 52 // so that the names of its policies fit in 63
	if err := validName(role); err != nil {
		return "", err
	}
	switch {
	case role == "public" || role == "none" || role == "postgres" || strings.HasPrefix(role, "pg_"):
		return "", fmt.Errorf("is %q, which the server has for itself", role)
	case strings.Contains(role, "'@'"):
		return "", fmt.Errorf("is %s, as MySQL writes an account: here it is the name of a role", role)
	case len(role) > longest:
		return "", fmt.Errorf("is longer than %d bytes", longest)
	}
	return quote(role, `"`), nil
}

// The names of an account's policies on a table begin so.
const (
	readPolicy   = "qed_read_"
	filterPolicy = "qed_filter_"
)

// postgresLiteral is a string, whatever the server's settings are.
func postgresLiteral(text string) string {
	if strings.Contains(text, `\`) {
		return " E" + quote(strings.ReplaceAll(text, `\`, `\\`), "'")
	}
	return quote(text, "'")
}

// postgresDo runs statements as one, with the logic that SQL has none of.
func postgresDo(lines string) string {
	mark := "$qed$"
	for strings.Contains(lines, mark) {
		mark = mark[:len(mark)-1] + "q$"
	}
	return "DO " + mark + "\n" + lines + "\n" + mark
}

func postgresScript(s *scripter) {
	if s.encrypted() {
		s.part("-- What decrypts.", []string{"CREATE EXTENSION IF NOT EXISTS pgcrypto WITH SCHEMA " + s.name(s.cryptoSchema())})
	}
	s.part(`-- The account. It cannot log in: ALTER ROLE .. LOGIN, with a password or another proof, lets it. What
-- it could do before in these schemas is taken from it.`, s.postgresAccountRights())
	s.part(`-- What everybody may do, the account may do too. Others who need this are to be granted it by name.`, s.postgresPublic())
	s.part("-- The secure views. What they know of a session, they read from its settings.", s.views(s.postgresView))
	s.part(`-- Row-level security, for tables without a view. Where a table had none, others see what they saw.`, s.postgresPolicies())
	s.part("-- What the account may read, and nothing else.", slices.Concat(s.postgresUsage(), s.grants()))
}

func (s *scripter) cryptoSchema() string { return cmp.Or(s.Key.Schema, "public") }

// schemas is the schemas of the policy, sorted as the objects are.
func (s *scripter) schemas() []string {
	var list []string
	for _, o := range s.objects {
		if !slices.Contains(list, o.Schema) {
			list = append(list, o.Schema)
		}
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
		schema = s.name(schema)
		statements = append(statements,
			"REVOKE ALL ON ALL TABLES IN SCHEMA "+schema+" FROM "+s.account,
			"REVOKE ALL ON SCHEMA "+schema+" FROM "+s.account)
	}
	return append(statements, s.postgresDropPolicies())
}

// postgresPublic takes from everybody what would let the account make things, or
// read past a view.
func (s *scripter) postgresPublic() []string {
	statements := []string{postgresDo(`BEGIN
  EXECUTE pg_catalog.format('REVOKE TEMPORARY ON DATABASE %I FROM PUBLIC', pg_catalog.current_database());
  IF pg_catalog.to_regnamespace('public') IS NOT NULL THEN
    REVOKE CREATE ON SCHEMA public FROM PUBLIC;
  END IF;
END`)}
	for _, schema := range s.schemas() {
		if schema != "public" {
			statements = append(statements, "REVOKE CREATE ON SCHEMA "+s.name(schema)+" FROM PUBLIC")
		}
	}
	for _, o := range s.objects {
		if o.hasView() {
			statements = append(statements, "REVOKE SELECT ON TABLE "+s.table(o.Schema, o.Logical)+" FROM PUBLIC")
		}
	}
	return statements
}

// postgresDropPolicies takes away the account's policies on whatever tables.
func (s *scripter) postgresDropPolicies() string {
	return postgresDo(`DECLARE
  policy record;
BEGIN
  FOR policy IN SELECT schemaname, tablename, policyname FROM pg_catalog.pg_policies
    WHERE policyname IN (` + postgresLiteral(readPolicy+s.Account) + ", " + postgresLiteral(filterPolicy+s.Account) + `) LOOP
    EXECUTE pg_catalog.format('DROP POLICY %I ON %I.%I', policy.policyname, policy.schemaname, policy.tablename);
  END LOOP;
END`)
}

// postgresView makes the view of a table. Whatever it calls has its schema, so
// that no search_path matters.
func (s *scripter) postgresView(o *object) string {
	barrier, where := "", ""
	if o.barrier() {
		barrier = " WITH (security_barrier = true)"
	}
	if len(o.Filters) > 0 {
		where = "\nWHERE " + s.postgresCondition(o.Filters)
	}
	columns := make([]string, len(o.Columns))
	for i, column := range o.Columns {
		columns[i] = s.postgresColumn(o, column)
	}
	return fmt.Sprintf("CREATE OR REPLACE VIEW %s%s AS\nSELECT %s\nFROM %s%s", s.table(o.Schema, o.Name), barrier,
		strings.Join(columns, ",\n  "), s.table(o.Schema, o.Logical), where)
}

func (s *scripter) postgresColumn(o *object, column string) string {
	name := s.name(column)
	as, encrypted := o.encryption(column)
	if !encrypted {
		return name
	}
	function := "pgp_sym_decrypt"
	as = ascii.Lower(as)
	if as == "bytea" {
		function = "pgp_sym_decrypt_bytea"
	}
	plain := fmt.Sprintf("%s.%s(%s, %s)", s.name(s.cryptoSchema()), function, name, postgresSetting(s.Key.Setting))
	if as != "text" && as != "bytea" {
		plain = "CAST(" + plain + " AS " + as + ")"
	}
	return plain + " AS " + name
}

// postgresSetting is the value of a setting, NULL where it has none.
func postgresSetting(name string) string {
	return "NULLIF(pg_catalog.current_setting('" + name + "', true), '')"
}

// postgresCondition is the filters of a view or a policy. A setting is read once,
// by a subquery, and not for each row.
func (s *scripter) postgresCondition(filters []Filter) string {
	conditions := make([]string, len(filters))
	for i, f := range filters {
		column, setting := "CAST("+s.name(f.Column)+" AS pg_catalog.text)", "(SELECT "+postgresSetting(f.Setting)+")"
		conditions[i] = column + " = " + setting
		if f.List {
			conditions[i] = column + " = ANY (CAST((SELECT pg_catalog.array_remove(pg_catalog.string_to_array(pg_catalog.current_setting('" +
				f.Setting + "', true), ','), '')) AS pg_catalog.text[]))"
		}
		if f.Optional {
			conditions[i] = "(" + setting + " IS NULL OR " + conditions[i] + ")"
		}
	}
	return strings.Join(conditions, "\n  AND ")
}

// postgresPolicies makes the row-level security of tables without a view. The
// restrictive policy holds whatever other policies the table has. The table's
// owner stays above them, so that nothing else that uses it changes.
func (s *scripter) postgresPolicies() []string {
	var statements []string
	for _, o := range s.objects {
		if o.hasView() || len(o.Filters) == 0 {
			continue
		}
		table := s.table(o.Schema, o.Name)
		read, filter := s.name(readPolicy+s.Account), s.name(filterPolicy+s.Account)
		statements = append(statements,
			"CREATE POLICY "+filter+" ON "+table+" AS RESTRICTIVE FOR SELECT TO "+s.account+"\n  USING ("+s.postgresCondition(o.Filters)+")",
			"CREATE POLICY "+read+" ON "+table+" FOR SELECT TO "+s.account+" USING (true)",
			postgresDo(`BEGIN
  IF NOT (SELECT relrowsecurity FROM pg_catalog.pg_class WHERE oid = CAST(`+postgresLiteral(table)+` AS pg_catalog.regclass)) THEN
    DROP POLICY IF EXISTS qed_others ON `+table+`;
    CREATE POLICY qed_others ON `+table+` USING (true) WITH CHECK (true);
    ALTER TABLE `+table+` ENABLE ROW LEVEL SECURITY;
  END IF;
END`))
	}
	return statements
}

// postgresUsage lets the account name what is in the schemas of the policy.
func (s *scripter) postgresUsage() []string {
	var grants []string
	for _, schema := range s.schemas() {
		grants = append(grants, "GRANT USAGE ON SCHEMA "+s.name(schema)+" TO "+s.account)
	}
	return grants
}
