package mysqldb

import (
	"strconv"
	"strings"
)

// The variables that a new connection is queried for.
var (
	commonVariables = []string{
		"version", "pseudo_thread_id", "lower_case_table_names", "sql_mode", "autocommit", "sql_select_limit",
		"character_set_client", "character_set_results", "character_set_connection", "collation_connection",
		"sql_quote_show_create", "sql_notes", "group_concat_max_len", "time_zone", "system_time_zone",
	}
	mariaDBVariables = []string{
		"tx_read_only", "max_statement_time", "max_recursive_iterations", "expensive_subquery_limit", "max_error_count",
		"default_regex_flags", "max_session_mem_used",
	}
	mysqlVariables = []string{"transaction_read_only", "max_execution_time", "cte_max_recursion_depth"}
)

// A variable is a system variable with a value, as SET takes it.
type variable struct{ name, value string }

func (v variable) String() string { return v.name + " = " + v.value }

// settings are the assignments of the SET that changes a session, and of the
// SET that undoes it.
type settings struct{ change, undo []string }

// plan computes what must be changed in the variables that a connection has. A
// pool belongs to one DB, so that nobody else changes them later.
func (s *server) plan(has map[string]string) {
	// Statements must not depend on the configuration of the pool.
	s.always.want(has, "sql_mode", sqlMode(has["sql_mode"]))
	s.always.want(has, "autocommit", "1") // otherwise every statement would read the snapshot of the first
	s.always.want(has, "sql_select_limit", "18446744073709551615")
	s.always.want(has, "character_set_client", "utf8mb4")
	s.always.want(has, "character_set_results", "utf8mb4")
	if has["character_set_connection"] != "utf8mb4" {
		s.always.want(has, "collation_connection", "utf8mb4_general_ci")
	}
	// Above this limit, a server returns a part of the value with nothing but a
	// warning.
	if n, err := strconv.ParseUint(has["group_concat_max_len"], 10, 64); err == nil && n < longestConcat {
		s.always.want(has, "group_concat_max_len", strconv.Itoa(longestConcat))
	}
	if n, err := strconv.ParseUint(has["cte_max_recursion_depth"], 10, 64); err == nil && n > longestRecursion {
		s.always.want(has, "cte_max_recursion_depth", strconv.Itoa(longestRecursion))
	}
	readOnly, limit := "transaction_read_only", "max_execution_time"
	if s.mariaDB {
		s.always.want(has, "default_regex_flags", "") // what the dialect knows of a pattern depends on them
		s.always.want(has, "max_recursive_iterations", strconv.Itoa(longestRecursion))
		if n, err := strconv.ParseUint(has["max_session_mem_used"], 10, 64); err == nil && n > mostMemory {
			s.always.want(has, "max_session_mem_used", strconv.Itoa(mostMemory))
		}
		readOnly, limit = "tx_read_only", "max_statement_time"
	}
	s.always.want(has, readOnly, "1")
	s.limit = variable{limit, has[limit]}

	// The server keeps no more warnings than this. Those that matter can come after many
	// others: the one about an incomplete result, and the one with the statement that
	// EXPLAIN shows.
	if s.mariaDB {
		s.warn.want(has, "max_error_count", "65535")
	}

	// EXPLAIN must show the whole statement. Subqueries that the server
	// executes while it explains would be missing.
	s.explain.want(has, "sql_quote_show_create", "1")
	s.explain.want(has, "sql_notes", "1")
	if s.mariaDB {
		s.explain.want(has, "expensive_subquery_limit", "0")
	}
}

// longestConcat is the maximum length in bytes of a GROUP_CONCAT. The default
// of MySQL is 1024.
const longestConcat = 1 << 20

// longestRecursion is the maximum number of steps of a recursive query. MySQL's own
// default is 1,000.
// Without one, a recursion through a cycle of rows would take the whole time limit.
const longestRecursion = 100_000

// mostMemory is the number of bytes that a session of MariaDB may hold. Aggregates with
// ORDER BY or DISTINCT hold all their rows: a product of three tables took 2 GB in 10
// seconds.
const mostMemory = 256 << 20

// want adds the change that gives a variable a value, unless it has that value.
func (s *settings) want(has map[string]string, name, value string) {
	if was := has[name]; was != value {
		s.change = append(s.change, variable{name, printed(name, value)}.String())
		s.undo = append(s.undo, variable{name, printed(name, was)}.String())
	}
}

// printed returns the value of a variable for SET: a number, a text, or NULL
// for no character set.
func printed(name, value string) string {
	switch {
	case value == "" && strings.HasPrefix(name, "character_set_"):
		return "NULL"
	case value != "" && strings.Trim(value, "0123456789.") == "":
		return value
	}
	return literalText(value)
}

// harmlessModes do not change the meaning or the result of a printed statement.
var harmlessModes = map[string]bool{
	"": true, "ONLY_FULL_GROUP_BY": true, "STRICT_TRANS_TABLES": true, "STRICT_ALL_TABLES": true,
	"ERROR_FOR_DIVISION_BY_ZERO": true,
	"NO_ENGINE_SUBSTITUTION":     true, "NO_AUTO_CREATE_USER": true, "NO_AUTO_VALUE_ON_ZERO": true, "NO_DIR_IN_CREATE": true,
}

// sqlMode returns the sql_mode to use with a pool that has the given one. It is
// the same if all of it is harmless. Otherwise only ONLY_FULL_GROUP_BY is kept,
// which refuses columns that are not grouped.
func sqlMode(mode string) string {
	wanted := mode
	for _, word := range strings.Split(mode, ",") {
		if !harmlessModes[word] {
			wanted = ""
		}
	}
	if wanted == "" && strings.Contains(","+mode+",", ",ONLY_FULL_GROUP_BY,") {
		wanted = "ONLY_FULL_GROUP_BY"
	}
	return wanted
}
