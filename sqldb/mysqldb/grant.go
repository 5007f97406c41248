package mysqldb

import (
	"context"
	"database/sql"
	"errors"
	"regexp"
	"slices"
	"strings"

	"github.com/go-sql-driver/mysql"

	"github.com/qedkit/qed/internal/ascii"
	"github.com/qedkit/qed/internal/failure"
	"github.com/qedkit/qed/sqldb"
)

// A grant is one line of SHOW GRANTS.
type grant struct {
	privileges []privilege // nil if the line grants roles
	on         object
	proxied    string   // the account that PROXY lets the account act as
	roles      []string // as the line spells them
	to         string   // the account or role, as the line spells it
	grantable  bool     // it may be granted to others
	via        string   // the role of the account that has it; empty for the account itself
}

// A privilege is a right. It has columns if it is limited to them.
type privilege struct {
	name    string // in upper case
	columns string // in parentheses, as the line spells them
}

func (p privilege) String() string {
	if p.columns == "" {
		return p.name
	}
	return p.name + " " + p.columns
}

// An object is what a grant is on.
type object struct {
	kind         string // FUNCTION, PROCEDURE, PACKAGE and so on; empty for tables
	schema, name string // "*" means any; schema is a pattern if name is "*"
	text         string // as the line spells it, without the kind
}

// String returns the object as GRANT and REVOKE take it.
func (o object) String() string {
	if o.kind == "" {
		return o.text
	}
	return o.kind + " " + o.text
}

// grants reads what the account may do: itself, through each of its roles,
// active or not, and as part of PUBLIC. It sets roles for that, and restores
// the role that was active before.
func grants(ctx context.Context, conn *sql.Conn, mariaDB bool) (_ []grant, err error) {
	before, err := currentRole(ctx, conn, mariaDB)
	if err != nil {
		return nil, err
	}
	defer func() {
		if _, back := conn.ExecContext(ctx, "SET ROLE "+before); back != nil {
			discard(conn)
			err = errors.Join(err, back)
		}
	}()
	if _, err := conn.ExecContext(ctx, "SET ROLE NONE"); err != nil {
		return nil, err
	}
	r := grantReader{conn: conn, seen: map[string]bool{}}
	if err := r.read(ctx, "SHOW GRANTS", ""); err != nil {
		return nil, err
	}
	own := slices.Clone(r.all)
	for _, g := range own {
		for _, role := range g.roles {
			_, err := conn.ExecContext(ctx, "SET ROLE "+role)
			if refused, ok := errors.AsType[*mysql.MySQLError](err); ok && refused.Number == errNoRole && g.to == "PUBLIC" {
				continue // MariaDB does not allow SET ROLE for a role of PUBLIC
			}
			if err != nil {
				return nil, err
			}
			if err := r.read(ctx, "SHOW GRANTS", role); err != nil {
				return nil, err
			}
		}
	}
	for i, g := range r.all[len(own):] {
		r.all[len(own)+i] = g.without(own)
	}
	return r.all, nil
}

// errNoRole is the server's error if the account does not have the role.
const errNoRole = 1959

// currentRole returns the active roles as SET ROLE takes them.
func currentRole(ctx context.Context, conn *sql.Conn, mariaDB bool) (string, error) {
	var role sql.NullString
	if err := conn.QueryRowContext(ctx, "SELECT CURRENT_ROLE()").Scan(&role); err != nil {
		return "", err
	}
	switch {
	case !role.Valid:
		return "NONE", nil
	case mariaDB: // which returns the name without quotes
		return quote(role.String), nil
	}
	return role.String, nil
}

// without returns the part of a grant that the account does not have itself:
// MySQL merges the grants of an active role with those of the account.
func (g grant) without(own []grant) grant {
	for _, o := range own {
		if o.on == g.on && o.proxied == g.proxied {
			g.privileges = slices.DeleteFunc(g.privileges, func(p privilege) bool { return slices.Contains(o.privileges, p) })
			g.grantable = g.grantable && !o.grantable
		}
	}
	return g
}

type grantReader struct {
	conn *sql.Conn
	seen map[string]bool
	all  []grant
}

// read adds the lines of a statement that were not read before.
func (r *grantReader) read(ctx context.Context, query, via string) error {
	_, lines, err := scan(ctx, r.conn, query)
	if err != nil {
		return err
	}
	for _, line := range lines {
		if r.seen[line[0]] {
			continue
		}
		r.seen[line[0]] = true
		g, ok, err := parseGrant(line[0])
		if err != nil {
			return err
		}
		if !ok {
			continue
		}
		if g.to != "PUBLIC" {
			g.via = via
		}
		r.all = append(r.all, g)
	}
	return nil
}

// errGrant does not contain the line, which may contain the hash of a password.
var errGrant = failure.New(sqldb.ErrUnreadable, "a line of SHOW GRANTS could not be parsed")

// parseGrant parses a line of MySQL or MariaDB. ok is false if it grants
// nothing: if it sets a default role or is a partial revoke.
func parseGrant(line string) (g grant, ok bool, err error) {
	s := grantScan{tokens: grantTokens(line)}
	switch s.next() {
	case "GRANT":
	case "SET", "REVOKE":
		return g, false, nil
	default:
		return g, false, errGrant
	}
	if s.peek() == "PROXY" {
		s.next()
		if s.next() != "ON" {
			return g, false, errGrant
		}
		g.proxied = s.until("TO")
		g.privileges = []privilege{{name: "PROXY"}}
	} else {
		list, end := s.list("ON", "TO")
		if end == "ON" {
			g.privileges = list
			g.on, ok = s.object()
			if !ok || s.next() != "TO" {
				return g, false, errGrant
			}
		} else {
			for _, role := range list {
				g.roles = append(g.roles, role.name)
			}
		}
	}
	g.to = s.until("IDENTIFIED", "REQUIRE", "WITH", "AS")
	rest := s.tokens[s.at:]
	g.grantable = slices.Contains(rest, "OPTION") && (slices.Contains(rest, "GRANT") || slices.Contains(rest, "ADMIN"))
	if g.to == "" || g.privileges == nil && g.roles == nil {
		return g, false, errGrant
	}
	return g, true, nil
}

// grantScan iterates over the tokens of a line: words in upper case, quoted
// names with their quotes, and single characters.
type grantScan struct {
	tokens []string
	at     int
}

func (s *grantScan) peek() string {
	if s.at == len(s.tokens) {
		return ""
	}
	return s.tokens[s.at]
}

func (s *grantScan) next() string {
	token := s.peek()
	s.at = min(s.at+1, len(s.tokens))
	return token
}

// until returns the text before one of the words, or before the end.
func (s *grantScan) until(words ...string) string {
	start := s.at
	for s.at < len(s.tokens) && !slices.Contains(words, s.peek()) {
		s.at++
	}
	text := strings.Join(s.tokens[start:s.at], "")
	if s.at < len(s.tokens) && slices.Contains(words, "TO") {
		s.at++
	}
	return text
}

// list parses rights or roles up to one of the words, which it returns as end.
func (s *grantScan) list(words ...string) (list []privilege, end string) {
	var name, columns []string
	depth := 0
	for s.at < len(s.tokens) {
		token := s.next()
		switch {
		case depth == 0 && (token == "," || slices.Contains(words, token)):
			list = append(list, privilege{joinWords(name), strings.Join(columns, "")})
			if token != "," {
				return list, token
			}
			name, columns = nil, nil
			continue
		case token == "(":
			depth++
		case token == ")":
			depth--
			columns = append(columns, token)
			continue
		}
		if depth > 0 {
			columns = append(columns, token)
		} else {
			name = append(name, token)
		}
	}
	return nil, ""
}

// joinWords joins words with spaces, except around the @ of a role's name.
func joinWords(words []string) string {
	return strings.ReplaceAll(strings.Join(words, " "), " @ ", "@")
}

func (s *grantScan) object() (o object, ok bool) {
	switch s.peek() {
	case "TABLE":
		s.next()
	case "FUNCTION", "PROCEDURE":
		o.kind = s.next()
	case "PACKAGE":
		o.kind = s.next()
		if s.peek() == "BODY" {
			o.kind += " " + s.next()
		}
	}
	schema, dot, name := s.next(), s.next(), s.next()
	o.schema, o.name, o.text = unquoted(schema), unquoted(name), schema+dot+name
	return o, dot == "." && name != ""
}

// grantToken matches a name in quotes, a word or a sign.
var grantToken = regexp.MustCompile("`(?:[^`]|``)*`?|'(?:[^']|'')*'?|\"(?:[^\"]|\"\")*\"?|[a-zA-Z0-9_$\\x{80}-\\x{10ffff}]+|[^ ]")

// grantTokens splits a line. Words without quotes are returned in upper case.
func grantTokens(line string) []string {
	tokens := grantToken.FindAllString(line, -1)
	for i, token := range tokens {
		if !strings.ContainsAny(token[:1], "`'\"") {
			tokens[i] = ascii.Upper(token)
		}
	}
	return tokens
}

// unquoted returns the name that a token stands for.
func unquoted(token string) string {
	if len(token) < 2 || !strings.ContainsRune("`'\"", rune(token[0])) {
		return token
	}
	quote := token[:1]
	return strings.ReplaceAll(token[1:len(token)-1], quote+quote, quote)
}
