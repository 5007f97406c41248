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

	"github.com/qedkit/qed/internal/failure"
	"github.com/qedkit/qed/sqldb"
)

// begin returns the text that begins the transaction of a query, with a time
// limit for each statement until setTimeout sets another one. The schemas of path
// follow those of the session's search path. It is one
// message of several statements. Values that differ between queries are
// constants of a SELECT, which pg_stat_statements leaves out. Every name is
// qualified and every value is written in letters and digits, so that its
// meaning depends neither on the settings of the connection nor on objects of
// the database.
func begin(q *sqldb.Query, limit time.Duration, path []string) (string, error) {
	var b strings.Builder
	b.WriteString(fixed + "; SELECT ")
	set(&b, "statement_timeout", literal(milliseconds(limit)))
	b.WriteString(", ")
	set(&b, "idle_in_transaction_session_timeout", literal(milliseconds(min(q.Timeout, maxTime)+idle)))
	b.WriteString(", ")
	set(&b, "application_name", literal(application+q.Tag))
	if q.Zone != "" {
		b.WriteString(", ")
		set(&b, "timezone", literal(zoneSetting(q.Zone)))
	}
	if schemas := slices.Concat(q.Session.SearchPath, path); len(schemas) > 0 {
		path, err := searchPath(schemas)
		if err != nil {
			return "", err
		}
		b.WriteString(", ")
		set(&b, "search_path", literal(path))
	}
	for _, name := range slices.Sorted(maps.Keys(q.Session.Settings)) {
		value, err := setting(name, q.Session.Settings[name])
		if err != nil {
			return "", err
		}
		b.WriteString(", ")
		set(&b, name, literal(value))
	}
	if role := q.Session.Role; role != "" {
		if !plain(role) {
			return "", failure.New(sqldb.ErrArgument, "the session's role is not UTF-8, or contains a NUL")
		}
		b.WriteString("; SELECT ") // everything before is set as the account itself
		set(&b, "role", literal(role))
	}
	return b.String(), nil
}

// setTimeout returns the text that sets the time limit of the statements that
// follow in the transaction.
func setTimeout(limit time.Duration) string {
	var b strings.Builder
	b.WriteString("SELECT ")
	set(&b, "statement_timeout", literal(milliseconds(limit)))
	return b.String()
}

// milliseconds returns a time limit as the server reads it. A limit of 0 would
// mean none.
func milliseconds(limit time.Duration) string {
	return strconv.FormatInt(max(min(limit, maxTime+idle).Milliseconds(), 1), 10)
}

// maxTime is the longest time limit of the server, without the time for a client
// that is gone.
const maxTime = math.MaxInt32*time.Millisecond - idle

// fixed begins a transaction and sets the parameters on which the meaning of a
// statement or the form of its result depends. The time zone follows, if the query
// has one. The database chooses the order of day and month in texts that are read
// as dates.
const fixed = "BEGIN ISOLATION LEVEL READ COMMITTED READ ONLY" +
	"; SET LOCAL client_encoding = 'UTF8'" +
	"; SET LOCAL standard_conforming_strings = on" +
	"; SET LOCAL transform_null_equals = off" +
	"; SET LOCAL row_security = on" +
	"; SET LOCAL datestyle = 'ISO'" +
	"; SET LOCAL intervalstyle = 'postgres'" +
	"; SET LOCAL extra_float_digits = 1" +
	"; SET LOCAL bytea_output = 'hex'" +
	"; SET LOCAL search_path = pg_catalog, pg_temp" // temporary objects would come first if pg_temp were missing

// application is the beginning of application_name. The query's tag follows.
const application = "qed "

// idle is how long after the time limit the server waits for a client that is
// gone before it ends the transaction.
const idle = 5 * time.Second

func set(b *strings.Builder, name, value string) {
	fmt.Fprintf(b, "pg_catalog.set_config('%s', %s, true)", name, value)
}

// literal returns a text as SQL, in hexadecimal: nothing needs quotes, and
// nothing depends on the encoding of the connection.
func literal(s string) string {
	return "pg_catalog.convert_from(pg_catalog.decode('" + hex.EncodeToString([]byte(s)) + "', 'hex'), 'UTF8')"
}

// searchPath returns the search path of a session. It begins with pg_catalog.
func searchPath(schemas []string) (string, error) {
	path := "pg_catalog, "
	for _, schema := range schemas {
		if schema == "" || !plain(schema) {
			return "", failure.New(sqldb.ErrArgument,
				"a schema in the session's SearchPath is empty, not UTF-8, or contains a NUL")
		}
		path += quote(schema) + ", "
	}
	return path + "pg_temp", nil
}

// twoParts matches the name of a setting. The server's own parameters have no
// dot, so that a session cannot set them.
var twoParts = regexp.MustCompile(`^[A-Za-z_][A-Za-z0-9_]*\.[A-Za-z_][A-Za-z0-9_]*$`)

// setting returns the text of a setting's value. Its errors do not contain the
// value.
func setting(name string, value any) (string, error) {
	if !twoParts.MatchString(name) {
		return "", failure.Newf(sqldb.ErrArgument,
			"the session's setting %q cannot be set: PostgreSQL needs two words with a dot between "+
				"them, such as app.tenant", name)
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
		return "", failure.Newf(sqldb.ErrArgument, "the session's setting %s is a %T", name, value)
	}
	if text == "" && value != nil {
		return "", failure.Newf(sqldb.ErrArgument,
			"the session's setting %s is an empty text, which PostgreSQL does not distinguish from no "+
				"value: use nil for no value", name)
	}
	if !plain(text) {
		return "", failure.Newf(sqldb.ErrArgument,
			"the session's setting %s is not UTF-8, or contains a NUL: write bytes in hexadecimal", name)
	}
	return text, nil
}

// plain reports whether s is a valid text of the server.
func plain(s string) bool { return utf8.ValidString(s) && strings.IndexByte(s, 0) < 0 }

func quote(name string) string { return `"` + strings.ReplaceAll(name, `"`, `""`) + `"` }
