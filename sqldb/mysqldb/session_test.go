package mysqldb

import (
	"encoding/hex"
	"errors"
	"fmt"
	"maps"
	"math"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/go-sql-driver/mysql"
	"github.com/google/go-cmp/cmp"

	"github.com/qedkit/qed/sqldb"
)

func TestLiteral(t *testing.T) {
	for _, tt := range []struct {
		value any
		want  string
	}{
		{nil, "NULL"},
		{"", "_utf8mb4 X''"},
		{`a'\`, "_utf8mb4 X'61275c'"},
		{"é", "_utf8mb4 X'c3a9'"},
		{[]byte{0, 0xff}, "_binary X'00ff'"},
		{true, "_utf8mb4 X'31'"},
		{false, "_utf8mb4 X'30'"},
		{-7, "_utf8mb4 X'2d37'"},
		{int64(12), "_utf8mb4 X'3132'"},
		{0.5, "_utf8mb4 X'302e35'"},
	} {
		if got, err := literal("name", tt.value); err != nil || got != tt.want {
			t.Errorf("%v: %s, %v, want %s", tt.value, got, err, tt.want)
		}
	}
	for name, value := range map[string]any{
		strings.Repeat("n", 65): "a", "text": "\xff", "nan": math.NaN(), "inf": math.Inf(-1), "type": struct{}{},
	} {
		if got, err := literal(name, value); !errors.Is(err, sqldb.ErrArgument) {
			t.Errorf("%s: %s, %v", name, got, err)
		}
	}
}

var (
	plainMariaDB = map[string]string{"sql_mode": "STRICT_TRANS_TABLES,NO_ENGINE_SUBSTITUTION", "autocommit": "1", "sql_select_limit": "18446744073709551615",
		"character_set_client": "utf8mb4", "character_set_results": "utf8mb4", "character_set_connection": "utf8mb4", "collation_connection": "utf8mb4_bin",
		"tx_read_only": "0", "max_statement_time": "0.000000", "sql_quote_show_create": "1", "sql_notes": "1", "expensive_subquery_limit": "100",
		"group_concat_max_len": "1048576", "max_recursive_iterations": "1000", "max_error_count": "64", "max_session_mem_used": "9223372036854775807"}
	oddMySQL = map[string]string{"sql_mode": "ANSI_QUOTES,ONLY_FULL_GROUP_BY", "autocommit": "0", "sql_select_limit": "5",
		"character_set_client": "latin1", "character_set_results": "", "character_set_connection": "latin1", "collation_connection": "latin1_bin",
		"transaction_read_only": "0", "max_execution_time": "7", "sql_quote_show_create": "0", "sql_notes": "1", "group_concat_max_len": "1024"}
)

// A session changes only the variables that differ from those of the pool, and
// restores them.
func TestSession(t *testing.T) {
	wanted := &sqldb.Session{Settings: map[string]any{"b": nil, "aesKey": "k"}}
	lessMemory := maps.Clone(plainMariaDB)
	lessMemory["max_session_mem_used"] = "8388608"
	for _, tt := range []struct {
		name         string
		has          map[string]string
		limit        time.Duration
		explain      bool
		change, undo string
	}{
		{"a plain pool", plainMariaDB, 1500 * time.Millisecond, false,
			"max_recursive_iterations = 100000, max_session_mem_used = 268435456, tx_read_only = 1, max_statement_time = 1.500, @`aesKey` = _utf8mb4 X'6b', @`b` = NULL",
			"max_recursive_iterations = 1000, max_session_mem_used = 9223372036854775807, tx_read_only = 0, max_statement_time = 0.000000, @`aesKey` = NULL, @`b` = NULL"},
		{"with EXPLAIN", plainMariaDB, time.Nanosecond, true,
			"max_recursive_iterations = 100000, max_session_mem_used = 268435456, tx_read_only = 1, max_statement_time = 0.001, expensive_subquery_limit = 0, @`aesKey` = _utf8mb4 X'6b', @`b` = NULL",
			"max_recursive_iterations = 1000, max_session_mem_used = 9223372036854775807, tx_read_only = 0, max_statement_time = 0.000000, expensive_subquery_limit = 100, @`aesKey` = NULL, @`b` = NULL"},
		{"with less memory", lessMemory, 0, false,
			"max_recursive_iterations = 100000, tx_read_only = 1, @`aesKey` = _utf8mb4 X'6b', @`b` = NULL",
			"max_recursive_iterations = 1000, tx_read_only = 0, @`aesKey` = NULL, @`b` = NULL"},
		{"without a limit", plainMariaDB, 0, false,
			"max_recursive_iterations = 100000, max_session_mem_used = 268435456, tx_read_only = 1, @`aesKey` = _utf8mb4 X'6b', @`b` = NULL",
			"max_recursive_iterations = 1000, max_session_mem_used = 9223372036854775807, tx_read_only = 0, @`aesKey` = NULL, @`b` = NULL"},
		{"an odd pool", oddMySQL, 1500 * time.Millisecond, true,
			"sql_mode = ONLY_FULL_GROUP_BY, autocommit = 1, sql_select_limit = 18446744073709551615, character_set_client = utf8mb4, character_set_results = utf8mb4, " +
				"collation_connection = utf8mb4_general_ci, group_concat_max_len = 1048576, transaction_read_only = 1, max_execution_time = 1500, sql_quote_show_create = 1, @`aesKey` = k, @`b` = NULL",
			"sql_mode = ANSI_QUOTES,ONLY_FULL_GROUP_BY, autocommit = 0, sql_select_limit = 5, character_set_client = latin1, character_set_results = NULL, " +
				"collation_connection = latin1_bin, group_concat_max_len = 1024, transaction_read_only = 0, max_execution_time = 7, sql_quote_show_create = 0, @`aesKey` = NULL, @`b` = NULL"},
	} {
		s := server{mariaDB: tt.has["tx_read_only"] != ""}
		s.plan(tt.has)
		var further []settings
		if tt.explain {
			further = append(further, s.explain)
		}
		got, err := s.session(wanted, tt.limit, further...)
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff([]string{tt.change, tt.undo}, []string{readable(tt.change, got.change), readable(tt.undo, got.undo)}); diff != "" {
			t.Errorf("%s (-want +got):\n%s", tt.name, diff)
		}
	}
	if _, err := (&server{}).session(&sqldb.Session{SearchPath: []string{"x"}}, 0); !errors.Is(err, sqldb.ErrArgument) {
		t.Errorf("a search path: %v", err)
	}
}

// readable replaces hexadecimal literals by their text, unless want has them.
func readable(want string, assignments []string) string {
	text := strings.Join(assignments, ", ")
	if strings.Contains(want, "X'") {
		return text
	}
	return hexLiteral.ReplaceAllStringFunc(text, func(literal string) string {
		raw, _ := hex.DecodeString(hexLiteral.FindStringSubmatch(literal)[1])
		return string(raw)
	})
}

var hexLiteral = regexp.MustCompile(`_utf8mb4 X'([0-9a-f]*)'`)

func TestSQLMode(t *testing.T) {
	for mode, want := range map[string]string{
		"":                    "",
		"STRICT_TRANS_TABLES": "STRICT_TRANS_TABLES",
		"STRICT_TRANS_TABLES,ONLY_FULL_GROUP_BY,NO_ENGINE_SUBSTITUTION": "STRICT_TRANS_TABLES,ONLY_FULL_GROUP_BY,NO_ENGINE_SUBSTITUTION",
		"STRICT_TRANS_TABLES,PIPES_AS_CONCAT":                           "",
		"ONLY_FULL_GROUP_BY,STRICT_TRANS_TABLES,NO_ZERO_DATE":           "ONLY_FULL_GROUP_BY",
		"A_MODE_OF_LATER": "",
	} {
		if got := sqlMode(mode); got != want {
			t.Errorf("%q becomes %q, want %q", mode, got, want)
		}
	}
}

// The error of a SET shows the number of the server's error, not its text.
func TestMasked(t *testing.T) {
	for number, kind := range map[uint16]sqldb.Kind{1300: sqldb.ErrArgument, 1064: sqldb.ErrArgument, 1153: sqldb.ErrTooLarge, 1927: sqldb.ErrUnavailable} {
		err := masked(fmt.Errorf("wrapped: %w", &mysql.MySQLError{Number: number, Message: "near 'hunter2'"}))
		if !errors.Is(err, kind) {
			t.Errorf("%d: %v", number, err)
		}
		for ; err != nil; err = errors.Unwrap(err) {
			if strings.Contains(fmt.Sprintf("%v %+v", err, err), "hunter2") {
				t.Errorf("%d: %v", number, err)
			}
		}
	}
	broken := errors.New("broken")
	if err := masked(broken); err != broken {
		t.Errorf("an error of the driver became %v", err)
	}
	if err := masked(nil); err != nil {
		t.Errorf("none became %v", err)
	}
}
