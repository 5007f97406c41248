package secureview

import (
	"errors"
	"fmt"
	"regexp"
	"strings"

	"github.com/qedkit/qed/internal/ascii"
)

var mysqlServer = server{
	account: mysqlAccount,
	setting: mysqlSetting,
	function: func(name string) error {
		if !mysqlName.MatchString(name) || len(name) > 64 {
			return fmt.Errorf("is %q: a function's name here is at most 64 letters, digits and underscores", name)
		}
		return nil
	},
	extensionSchema: func(string) error {
		return errors.New("is for postgres: mysql decrypts without an extension")
	},
	hidden:    (*Setup).Functions,
	schemas:   []string{"information_schema", "mysql", "performance_schema", "sys"},
	types:     regexp.MustCompile(`^(?i:text|binary|signed|unsigned|double|date|(date)?time(\([0-6]\))?|decimal(\(\d{1,2}(, ?\d{1,2})?\))?)$`),
	typeNames: "text, BINARY, SIGNED, UNSIGNED, DECIMAL(p,s), DOUBLE, DATE, TIME, DATETIME",
	mark:      "`",
	script:    mysqlScript,
}

var mysqlName = regexp.MustCompile(`^[A-Za-z0-9_]+$`)

// mysqlSetting checks the name of a user variable, which is part of a function's.
func mysqlSetting(name string) error {
	if !mysqlName.MatchString(name) || len(accessor(name)) > 64 {
		return fmt.Errorf("is %q: a variable's name here is at most %d letters, digits and underscores", name, 64-len(accessor("")))
	}
	return nil
}

var (
	mysqlBareName = regexp.MustCompile(`^[A-Za-z0-9_.$-]+`)
	mysqlBareHost = regexp.MustCompile(`^[A-Za-z0-9_.%:/-]+`)
)

// mysqlAccount reads an account as MySQL writes it, and quotes it.
func mysqlAccount(account string) (string, error) {
	if err := validName(account); err != nil {
		return "", err
	}
	name, rest, ok := mysqlPart(account, mysqlBareName)
	host := "%"
	if ok && rest != "" {
		if rest, ok = strings.CutPrefix(rest, "@"); ok {
			host, rest, ok = mysqlPart(rest, mysqlBareHost)
		}
	}
	if !ok || rest != "" || name == "" || host == "" || strings.Contains(account, `\`) {
		return "", errors.New("is no account: write 'name'@'host', where the host % is any")
	}
	if folded := ascii.Lower(name); folded == "root" || strings.HasPrefix(folded, "mysql.") || folded == "mariadb.sys" {
		return "", fmt.Errorf("is %s, which administers the server: the script takes from an account what it has beyond the policy", account)
	}
	return quote(name, "'") + "@" + quote(host, "'"), nil
}

// mysqlPart reads a name, quoted or bare, from the start of a text.
func mysqlPart(text string, bare *regexp.Regexp) (name, rest string, ok bool) {
	if text == "" || !strings.Contains("'`\"", text[:1]) {
		name = bare.FindString(text)
		return name, text[len(name):], name != ""
	}
	mark := text[:1]
	var b strings.Builder
	for {
		part, after, closed := strings.Cut(text[1:], mark)
		b.WriteString(part)
		if !closed || !strings.HasPrefix(after, mark) {
			return b.String(), after, closed
		}
		b.WriteString(mark)
		text = after
	}
}

func mysqlScript(s *scripter) {
	s.part(`-- The account. It is locked, with a password that is not for use (MySQL makes one up and shows it):
-- ALTER USER .. IDENTIFIED BY .. ACCOUNT UNLOCK opens it. What it could do before is taken from it.`, []string{
		"CREATE USER IF NOT EXISTS " + s.account + `
  /*!80018 IDENTIFIED BY RANDOM PASSWORD */ /*M!100400 IDENTIFIED VIA mysql_native_password USING 'invalid' */
  ACCOUNT LOCK`,
		"REVOKE ALL PRIVILEGES, GRANT OPTION FROM " + s.account,
	})
	s.part(`-- What the views know of a session: they cannot name a variable, but call a function that answers it.
-- The account is granted none of these.`, s.mysqlAccessors())
	s.part("-- The secure views.", s.views(s.mysqlView))
	s.part("-- What the account may read, and nothing else.", s.grants())
}

// mysqlAccessors makes the functions that answer settings. They are declared
// DETERMINISTIC because no statement can change a setting while it runs: only so
// is an index used for what they answer. In MySQL a function takes a variable for
// what it was at the first call of a connection: after a number, '1abc' would be
// 1 for ever. The CAST keeps that from mattering.
func (s *scripter) mysqlAccessors() []string {
	made := map[string]bool{}
	var statements []string
	add := func(function, setting string) {
		if made[ascii.Lower(function)] {
			return
		}
		made[ascii.Lower(function)] = true
		name := s.table(s.schema, function)
		statements = append(statements,
			"DROP FUNCTION IF EXISTS "+name,
			"CREATE FUNCTION "+name+"() RETURNS LONGBLOB DETERMINISTIC NO SQL SQL SECURITY INVOKER\n  RETURN CAST(@"+setting+" AS BINARY)")
	}
	if s.encrypted() {
		add(s.Key.accessor(), s.Key.Setting)
	}
	for _, o := range s.objects {
		for _, f := range o.Filters {
			add(accessor(f.Setting), f.Setting)
		}
	}
	return statements
}

// mysqlView makes the view of a table. A LIMIT that limits nothing is the barrier
// between the filters and a statement: what a statement asks cannot be moved
// before a LIMIT without changing what it means. Decryption comes after it, for
// the rows and columns alone that the statement needs.
func (s *scripter) mysqlView(o *object) string {
	columns := make([]string, len(o.Columns))
	for i, column := range o.Columns {
		columns[i] = s.mysqlColumn(o, column)
	}
	from := s.table(o.Schema, o.Logical) + s.mysqlWhere(o)
	if o.barrier() {
		from = "(SELECT " + strings.Join(s.names(o.Columns), ", ") + "\nFROM " + from + "\nLIMIT 18446744073709551615"
		from = strings.ReplaceAll(from, "\n", "\n  ") + ") AS `visible`"
	}
	return fmt.Sprintf("CREATE OR REPLACE SQL SECURITY DEFINER VIEW %s AS\nSELECT %s\nFROM %s",
		s.table(o.Schema, o.Name), strings.Join(columns, ",\n  "), from)
}

func (s *scripter) mysqlColumn(o *object, column string) string {
	name := s.name(column)
	as, encrypted := o.encryption(column)
	if !encrypted {
		return name
	}
	plain := fmt.Sprintf("AES_DECRYPT(%s, %s())", name, s.table(s.schema, s.Key.accessor()))
	switch as = ascii.Upper(as); as {
	case "BINARY":
	case "TEXT":
		plain = "CAST(" + plain + " AS CHAR CHARACTER SET utf8mb4)"
	default:
		plain = "CAST(" + plain + " AS " + as + ")"
	}
	return plain + " AS " + name
}

// mysqlWhere is the filters of a view. Comparing bytes is what makes them exact,
// whatever the column's type and collation: 1 is not '1abc', nor a 'A'. Comparing
// the column as it is lets its index be used, and alone would let more through.
func (s *scripter) mysqlWhere(o *object) string {
	if len(o.Filters) == 0 {
		return ""
	}
	conditions := make([]string, len(o.Filters))
	for i, f := range o.Filters {
		column, setting := s.name(f.Column), s.table(s.schema, accessor(f.Setting))+"()"
		bytes := "NULLIF(CAST(" + column + " AS BINARY), '')"
		conditions[i] = column + " = " + setting + " AND " + bytes + " = " + setting
		if f.List {
			conditions[i] = "FIND_IN_SET(" + bytes + ", " + setting + ") > 0"
		}
		if f.Optional {
			conditions[i] = "(" + setting + " IS NULL OR " + conditions[i] + ")"
		}
	}
	return "\nWHERE " + strings.Join(conditions, "\n  AND ")
}
