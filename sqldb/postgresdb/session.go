package postgresdb

import (
	"encoding/hex"
	"fmt"
	"maps"
	"math"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/qedkit/qed/sqldb"
)

// begin is the text that begins the transaction of a reading. It is one message
// of several statements. Whatever differs from reading to reading is a constant
// of a SELECT, which statistics of statements leave out. Every name is qualified
// and every value written in letters and digits, so that no setting of the
// connection and no object of the database changes what it means.
func begin(r *sqldb.Reading) (string, error) {
	var b strings.Builder
	b.WriteString(pinned)
	limit := min(r.Timeout.Milliseconds(), math.MaxInt32-idle.Milliseconds())
	b.WriteString("; SELECT ")
	set(&b, "statement_timeout", literal(strconv.FormatInt(max(limit, 1), 10)))
	b.WriteString(", ")
	set(&b, "idle_in_transaction_session_timeout", literal(strconv.FormatInt(limit+idle.Milliseconds(), 10)))
	b.WriteString(", ")
	set(&b, "application_name", literal(application+r.Tag))
	if len(r.Session.SearchPath) > 0 {
		path, err := searchPath(r.Session.SearchPath)
		if err != nil {
			return "", err
		}
		b.WriteString(", ")
		set(&b, "search_path", literal(path))
	}
	for _, name := range slices.Sorted(maps.Keys(r.Session.Settings)) {
		value, err := setting(name, r.Session.Settings[name])
		if err != nil {
			return "", err
		}
		b.WriteString(", ")
		set(&b, name, literal(value))
	}
	if role := r.Session.Role; role != "" {
		if !plain(role) {
			return "", &sqldb.Error{Kind: sqldb.ErrArgument, Message: "the session's role is not UTF-8, or holds a NUL"}
		}
		b.WriteString("; SELECT ") // all that comes before is set as the account itself
		set(&b, "role", literal(role))
	}
	return b.String(), nil
}

// pinned begins a transaction and sets what a statement's meaning, or the form of
// what it answers, would change with. The time zone is the host's to choose, and
// the order of day and month in what is read.
const pinned = "BEGIN ISOLATION LEVEL READ COMMITTED READ ONLY" +
	"; SET LOCAL client_encoding = 'UTF8'" +
	"; SET LOCAL standard_conforming_strings = on" +
	"; SET LOCAL transform_null_equals = off" +
	"; SET LOCAL row_security = on" +
	"; SET LOCAL datestyle = 'ISO'" +
	"; SET LOCAL intervalstyle = 'postgres'" +
	"; SET LOCAL extra_float_digits = 1" +
	"; SET LOCAL bytea_output = 'hex'" +
	"; SET LOCAL search_path = pg_catalog, pg_temp" // unnamed, temporary objects come first

// application is what the name of a reading's session begins with; its tag
// follows.
const application = "qed "

// idle is how long after its time limit the server still waits for a client that
// has gone, before it ends the transaction.
const idle = 5 * time.Second

func set(b *strings.Builder, name, value string) {
	fmt.Fprintf(b, "pg_catalog.set_config('%s', %s, true)", name, value)
}

// literal writes a text in hexadecimal: there is nothing to quote, and nothing
// depends on the encoding of the connection.
func literal(s string) string {
	return "pg_catalog.convert_from(pg_catalog.decode('" + hex.EncodeToString([]byte(s)) + "', 'hex'), 'UTF8')"
}

// searchPath is where functions, operators and types are looked for: first among
// the server's own.
func searchPath(schemas []string) (string, error) {
	path := "pg_catalog, "
	for _, schema := range schemas {
		if schema == "" || !plain(schema) {
			return "", &sqldb.Error{Kind: sqldb.ErrArgument, Message: "a schema in the session's SearchPath is empty, not UTF-8, or holds a NUL"}
		}
		path += quote(schema) + ", "
	}
	return path + "pg_temp", nil
}

// twoParts is how a setting must be named. The server's own parameters have no
// dot, and none of them can be given as a setting.
var twoParts = regexp.MustCompile(`^[A-Za-z_][A-Za-z0-9_]*\.[A-Za-z_][A-Za-z0-9_]*$`)

// setting is the text of a setting's value. No error holds it.
func setting(name string, value any) (string, error) {
	if !twoParts.MatchString(name) {
		return "", &sqldb.Error{Kind: sqldb.ErrArgument, Message: fmt.Sprintf("the session's setting %q cannot be set: PostgreSQL needs two words with a dot between, such as app.tenant", name)}
	}
	var text string
	switch v := value.(type) {
	case nil:
	case string:
		text = v
	case []byte:
		text = string(v)
	case bool:
		text = strconv.FormatBool(v)
	case int:
		text = strconv.Itoa(v)
	case int64:
		text = strconv.FormatInt(v, 10)
	case float64:
		text = strconv.FormatFloat(v, 'g', -1, 64)
	default:
		return "", &sqldb.Error{Kind: sqldb.ErrArgument, Message: fmt.Sprintf("the session's setting %s is a %T", name, value)}
	}
	if text == "" && value != nil {
		return "", &sqldb.Error{Kind: sqldb.ErrArgument, Message: fmt.Sprintf("the session's setting %s is an empty text, which PostgreSQL cannot tell from none: give nil, if none is meant", name)}
	}
	if !plain(text) {
		return "", &sqldb.Error{Kind: sqldb.ErrArgument, Message: fmt.Sprintf("the session's setting %s is not UTF-8, or holds a NUL: write bytes in hexadecimal", name)}
	}
	return text, nil
}

// plain reports whether the server can have s as text.
func plain(s string) bool { return utf8.ValidString(s) && strings.IndexByte(s, 0) < 0 }

// quote writes a name as an identifier.
func quote(name string) string { return `"` + strings.ReplaceAll(name, `"`, `""`) + `"` }
