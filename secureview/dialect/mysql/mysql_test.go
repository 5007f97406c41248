package mysql_test

import (
	"strings"
	"testing"

	"github.com/qedkit/qed/secureview/dialect/mysql"
)

func TestSafe(t *testing.T) {
	var d mysql.Dialect
	for _, name := range []string{
		"count", "group_concat", "row_number", "lag", "coalesce", "if", "date_add", "extract", "trim", "convert", "char",
		"concat", "substring", "lpad", "json_extract", "json_value", "rand", "timestampdiff", "sha2",
	} {
		if !d.Safe(name) {
			t.Errorf("%s is not safe", name)
		}
	}
	for _, name := range []string{
		"any_value", "regexp_like", "is_uuid", "bin_to_uuid", "uuid_to_bin", "json_schema_valid", "grouping", "md5", "json_overlaps",
		"nvl", "nvl2", "to_char", "add_months", "chr", "json_exists", "json_query", "json_equals", "json_normalize", "json_pretty",
		"", "nonsense", "COUNT", "app_key",
		"sleep", "benchmark", "get_lock", "release_lock", "release_all_locks", "is_used_lock", "is_free_lock", "master_pos_wait",
		"load_file", "user", "current_user", "session_user", "system_user", "current_role", "database", "schema", "version",
		"connection_id", "last_insert_id", "found_rows", "row_count", "name_const", "nextval", "lastval", "setval",
		"aes_encrypt", "aes_decrypt", "des_encrypt", "des_decrypt", "encode", "decode", "encrypt", "password", "old_password",
		"random_bytes", "uuid", "uuid_short", "extractvalue", "updatexml", "repeat", "compress", "uncompress", "export_set",
		"sys_exec", "sys_eval", "ps_thread_id", "format_pico_time", "statement_digest", "json_table", "tidb_version",
	} {
		if d.Safe(name) {
			t.Errorf("%s is called safe", name)
		}
	}
}

// TestSafeOfVersion: with a version, the functions of that server are safe too.
func TestSafeOfVersion(t *testing.T) {
	for _, tt := range []struct{ version, safe, unsafe string }{
		{"8.4", "any_value regexp_like md5 json_overlaps count", "nvl to_char json_exists sleep"},
		{"8.0.36-0ubuntu0.22.04.1", "any_value", "nvl"},
		{"8.0.20", "count", "any_value"},
		{"9.7.4-2", "any_value uuid_to_bin", "md5 sha sha1 nvl"},
		{"10.6.0-MariaDB", "nvl md5 json_exists", "any_value to_char json_equals json_overlaps"},
		{"10.11.19-MariaDB-0+deb12u1", "nvl to_char chr json_pretty json_overlaps", "any_value regexp_like json_schema_valid"},
		{"11.4-mariadb", "json_schema_valid", "any_value"},
		{"10.5-MariaDB", "count", "nvl"},
		{"new", "count", "any_value nvl"},
	} {
		d := mysql.Dialect{Version: tt.version}
		for _, name := range strings.Fields(tt.safe) {
			if !d.Safe(name) {
				t.Errorf("%s: %s is not safe", tt.version, name)
			}
		}
		for _, name := range strings.Fields(tt.unsafe) {
			if d.Safe(name) {
				t.Errorf("%s: %s is called safe", tt.version, name)
			}
		}
	}
}

// TestServerFunctions: a dialect is refused for a server that lacks one of its
// functions.
func TestServerFunctions(t *testing.T) {
	for _, tt := range []struct {
		dialect, server string
		ok              bool
	}{
		{"", "8.0.21", true}, {"", "10.6.0-MariaDB", true},
		{"8.4", "8.4.3", true}, {"8.0.36", "8.4.3", true}, {"8.4", "8.0.36", true},
		{"8.4", "9.7.4-2", false}, // it has no md5
		{"9.7", "8.4.3", true},
		{"8.4", "10.11.6-MariaDB", false}, {"10.11-MariaDB", "8.4.3", false},
		{"10.6-MariaDB", "10.11.6-MariaDB-log", true}, {"11.4-MariaDB", "10.11.6-MariaDB", false},
		{"new", "8.4.3", false},
	} {
		names, err := mysql.Dialect{Version: tt.dialect}.ServerFunctions(tt.server)
		if (err == nil) != tt.ok || tt.ok && (len(names) == 0) != (tt.dialect == "") {
			t.Errorf("%q on %q: %v, %v", tt.dialect, tt.server, names, err)
		}
	}
}

func TestQuote(t *testing.T) {
	for name, want := range map[string]string{
		"t": "`t`", "a`b``": "`a``b`````", "": "``", `a\`: "`a\\`", "é 日": "`é 日`",
	} {
		if got := (mysql.Dialect{}).Quote(name); got != want {
			t.Errorf("Quote(%q) = %s, want %s", name, got, want)
		}
	}
}
