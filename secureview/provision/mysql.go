package provision

import (
	"errors"
	"fmt"
	"regexp"
	"strings"

	"github.com/qedkit/qed/internal/ascii"
	"github.com/qedkit/qed/internal/lists"
	"github.com/qedkit/qed/internal/sqlast"
	"github.com/qedkit/qed/secureview"
)

var mysqlServer = server{
	account: mysqlAccount,
	setting: mysqlSetting,
	extensionSchema: func(string) error {
		return errors.New("is for postgres: mysql decrypts without an extension")
	},
	types: regexp.MustCompile(`^(?i:text|binary|signed|unsigned|double|date|(date)?time(\([0-6]\))?` +
		`|decimal(\(\d{1,2}(, ?\d{1,2})?\))?)$`),
	typeNames: "text, BINARY, SIGNED, UNSIGNED, DECIMAL(p,s), DOUBLE, DATE, TIME, DATETIME",
	mark:      "`",
	script:    mysqlScript,
	filter:    (*scripter).mysqlFilter,
	match:     (*scripter).mysqlMatch,
}

var mysqlName = regexp.MustCompile(`^[A-Za-z0-9_]+$`)

// mysqlSetting checks the name of a user variable, which is also part of the name
// of a function.
func mysqlSetting(name string) error {
	const most = 64 - len(secureview.FunctionPrefix)
	if !mysqlName.MatchString(name) || len(name) > most {
		return fmt.Errorf(
			"is %q: in mysql the name of a variable is at most %d letters, digits and underscores", name, most)
	}
	return nil
}

var (
	mysqlBareName = regexp.MustCompile(`^[A-Za-z0-9_.$-]+`)
	mysqlBareHost = regexp.MustCompile(`^[A-Za-z0-9_.%:/-]+`)
)

// mysqlAccount parses an account in the notation of MySQL and quotes it.
func mysqlAccount(account string) (string, error) {
	if err := sqlast.CheckName(account); err != nil {
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
		return "", errors.New("is not an account: write 'name'@'host', where the host % means any")
	}
	lower := ascii.Lower(name)
	if lower == "root" || strings.HasPrefix(lower, "mysql.") || lower == "mariadb.sys" {
		return "", fmt.Errorf(
			"is %s, which administers the server: the script revokes every right that the policy does not need",
			account)
	}
	return quote(name, "'") + "@" + quote(host, "'"), nil
}

// mysqlPart parses a quoted or bare name at the start of a text.
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
	s.add(`-- The account. It is locked, and its password is not for use (MySQL generates one and shows it):
-- ALTER USER .. IDENTIFIED BY .. ACCOUNT UNLOCK opens it. All rights that it had are revoked.`, []string{
		"CREATE USER IF NOT EXISTS " + s.account + `
  /*!80018 IDENTIFIED BY RANDOM PASSWORD */ /*M!100400 IDENTIFIED VIA mysql_native_password USING 'invalid' */
  ACCOUNT LOCK`,
		"REVOKE ALL PRIVILEGES, GRANT OPTION FROM " + s.account,
	})
	s.add(`-- The functions that return session settings to the views: a view cannot refer to a variable. The
-- account may call none of them.`, s.mysqlFunctions())
	s.add("-- The secure views.", s.views(s.mysqlView))
	s.add("-- What the account may read, and nothing else.", s.grants())
}

// mysqlFunctions creates the functions that return settings. They are declared
// DETERMINISTIC because no statement can change a setting while it runs, and
// because MySQL uses an index for a comparison only with a deterministic function.
//
// In MySQL a function keeps the type that a variable had at its first call in a
// connection: after a number, '1abc' would be read as 1. The CAST prevents that.
func (s *scripter) mysqlFunctions() []string {
	created := map[string]bool{}
	var statements []string
	add := func(setting string) {
		if created[ascii.Lower(setting)] {
			return
		}
		created[ascii.Lower(setting)] = true
		name := s.mysqlFunction(setting)
		statements = append(statements,
			"DROP FUNCTION IF EXISTS "+name,
			"CREATE FUNCTION "+name+"() RETURNS LONGBLOB DETERMINISTIC NO SQL SQL SECURITY INVOKER\n"+
				"  RETURN CAST(@"+setting+" AS BINARY)")
	}
	if s.readsEncrypted() {
		add(s.Key.Setting)
	}
	for _, t := range s.tables {
		if t.View == "" {
			continue // statements have its filter
		}
		for _, setting := range t.settings() {
			add(setting)
		}
	}
	return statements
}

// mysqlFunction returns the function that returns a setting, with its schema.
func (s *scripter) mysqlFunction(setting string) string {
	return s.qualified(s.schema, secureview.FunctionPrefix+setting)
}

// mysqlView creates the view of a table. A LIMIT that is larger than any table is
// the barrier between the filters and a statement: MySQL cannot move a condition
// of the statement before a LIMIT without changing the result. Decryption comes
// after the LIMIT, so that only the rows and columns that the statement needs are
// decrypted.
func (s *scripter) mysqlView(t *table) string {
	columns := lists.Map(t.Columns, func(column string) string { return s.mysqlColumn(t, column) })
	from := s.qualified(t.Schema, t.Name)
	if where := s.where(t); where != "" {
		from += "\nWHERE " + where
	}
	if t.isFiltered() {
		columns := strings.Join(s.quoteAll(t.Columns), ", ")
		from = "(SELECT " + columns + "\nFROM " + from + "\nLIMIT 18446744073709551615"
		from = strings.ReplaceAll(from, "\n", "\n  ") + ") AS `visible`"
	}
	return fmt.Sprintf("CREATE OR REPLACE SQL SECURITY DEFINER VIEW %s AS\nSELECT %s\nFROM %s",
		s.qualified(t.Schema, t.View), strings.Join(columns, ",\n  "), from)
}

func (s *scripter) mysqlColumn(t *table, column string) string {
	name := s.quote(column)
	as, encrypted := encryption(t.TableSetup, column)
	if !encrypted {
		return name
	}
	plain := fmt.Sprintf("AES_DECRYPT(%s, %s())", name, s.mysqlFunction(s.Key.Setting))
	switch as = ascii.Upper(as); as {
	case "BINARY":
	case "TEXT":
		plain = "CAST(" + plain + " AS CHAR CHARACTER SET utf8mb4)"
	default:
		plain = "CAST(" + plain + " AS " + as + ")"
	}
	return plain + " AS " + name
}

// mysqlFilter returns a filter of a view. The comparison of bytes makes it exact for
// every column type and collation: 1 is not '1abc', and a is not 'A'. The comparison
// of the column itself lets MySQL use an index; alone it would pass more rows.
func (s *scripter) mysqlFilter(f secureview.Filter) string {
	column, setting := s.quote(f.Column), s.mysqlFunction(f.Setting)+"()"
	bytes := "NULLIF(CAST(" + column + " AS BINARY), '')"
	condition := column + " = " + setting + " AND " + bytes + " = " + setting
	if f.List {
		condition = "FIND_IN_SET(" + bytes + ", " + setting + ") > 0"
	}
	if f.Optional {
		condition = "(" + setting + " IS NULL OR " + condition + ")"
	}
	return condition
}

// mysqlMatch returns a condition of [secureview.Policy.Filters]. It is NULL if the
// setting is empty, also under NOT.
func (s *scripter) mysqlMatch(column, setting string, list bool) string {
	column, function := s.quote(column), s.mysqlFunction(setting)+"()"
	bytes := "CAST(" + column + " AS BINARY)"
	if list {
		values := "NULLIF(TRIM(',' FROM " + function + "), '')"
		return "(" + bytes + " <> '' AND FIND_IN_SET(" + bytes + ", " + values + ") > 0)"
	}
	value := "NULLIF(" + function + ", '')"
	return "(" + column + " = " + value + " AND " + bytes + " = " + value + ")"
}
