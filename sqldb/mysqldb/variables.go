package mysqldb

import (
	"strconv"
	"strings"
)

// What a connection is asked for, on either server and on one alone.
var (
	commonVariables = []string{
		"version", "pseudo_thread_id", "lower_case_table_names", "sql_mode", "autocommit", "sql_select_limit",
		"character_set_client", "character_set_results", "character_set_connection", "collation_connection",
		"sql_quote_show_create", "sql_notes", "group_concat_max_len",
	}
	mariaDBVariables = []string{"tx_read_only", "max_statement_time", "max_recursive_iterations", "expensive_subquery_limit"}
	mysqlVariables   = []string{"transaction_read_only", "max_execution_time"}
)

// variable is a system variable with a value, as SET takes it.
type variable struct{ name, value string }

func (v variable) String() string { return v.name + " = " + v.value }

// settings is how a session is changed, and how it is changed back: each the
// assignments of a SET.
type settings struct{ change, back []string }

// pin works out what has to be changed of the variables that a connection has. A
// pool belongs to one DB, so that nobody else changes them later.
func (s *server) pin(has map[string]string) {
	// What must not depend on how a pool is set up.
	s.always.want(has, "sql_mode", sqlMode(has["sql_mode"]))
	s.always.want(has, "autocommit", "1") // or every statement would read the snapshot of the first
	s.always.want(has, "sql_select_limit", "18446744073709551615")
	s.always.want(has, "character_set_client", "utf8mb4")
	s.always.want(has, "character_set_results", "utf8mb4")
	if has["character_set_connection"] != "utf8mb4" {
		s.always.want(has, "collation_connection", "utf8mb4_general_ci")
	}
	// Beyond these two, a server answers a part for the whole, with a warning.
	if n, err := strconv.ParseUint(has["group_concat_max_len"], 10, 64); err == nil && n < longestConcat {
		s.always.want(has, "group_concat_max_len", strconv.Itoa(longestConcat))
	}
	readOnly, limit := "transaction_read_only", "max_execution_time"
	if s.mariaDB {
		s.always.want(has, "max_recursive_iterations", "4294967295")
		readOnly, limit = "tx_read_only", "max_statement_time"
	}
	s.always.want(has, readOnly, "1")
	s.limit = variable{limit, has[limit]}

	// What makes a server say all of how it understands a statement. What it works
	// out meanwhile is gone from that.
	s.telling.want(has, "sql_quote_show_create", "1")
	s.telling.want(has, "sql_notes", "1")
	if s.mariaDB {
		s.telling.want(has, "expensive_subquery_limit", "0")
	}
}

// longestConcat is the length in bytes up to which the values of a group may be put
// together. MySQL by itself has 1024.
const longestConcat = 1 << 20

// want adds what gives a variable a value that it does not have.
func (s *settings) want(has map[string]string, name, value string) {
	if was := has[name]; was != value {
		s.change = append(s.change, variable{name, printed(name, value)}.String())
		s.back = append(s.back, variable{name, printed(name, was)}.String())
	}
}

// printed prints the value of a variable for SET: a number, a text, or NULL for
// the character set that is none.
func printed(name, value string) string {
	switch {
	case value == "" && strings.HasPrefix(name, "character_set_"):
		return "NULL"
	case value != "" && strings.Trim(value, "0123456789.") == "":
		return value
	}
	return literalText(value)
}

// harmlessModes change nothing of what a printed statement means or answers.
var harmlessModes = map[string]bool{
	"": true, "ONLY_FULL_GROUP_BY": true, "STRICT_TRANS_TABLES": true, "STRICT_ALL_TABLES": true, "ERROR_FOR_DIVISION_BY_ZERO": true,
	"NO_ENGINE_SUBSTITUTION": true, "NO_AUTO_CREATE_USER": true, "NO_AUTO_VALUE_ON_ZERO": true, "NO_DIR_IN_CREATE": true,
}

// sqlMode is the sql_mode for a pool that has another one: the same, if all of it
// is harmless, or else no more than whether a column that is not grouped is wrong,
// for which a host may have reasons.
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
