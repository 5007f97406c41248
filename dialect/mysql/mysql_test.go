package mysql_test

import (
	"testing"

	"github.com/qedkit/qed/dialect/mysql"
)

func TestSafe(t *testing.T) {
	var d mysql.Dialect
	for _, name := range []string{
		"count", "group_concat", "row_number", "lag", "coalesce", "if", "date_add", "extract", "trim", "convert", "char",
		"concat", "substring", "lpad", "json_extract", "json_exists", "json_pretty", "to_char", "rand", "timestampdiff", "md5",
	} {
		if !d.Safe(name) {
			t.Errorf("%s is not safe", name)
		}
	}
	for _, name := range []string{
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

func TestFlavor(t *testing.T) {
	fold := mysql.Dialect{}.Flavor().Fold
	for _, tt := range []struct {
		a, b string
		want bool
	}{
		{"Employee", "employee", true},
		{"", "", true},
		{"a", "ab", false},
		{"é", "É", false},
		{"ſ", "s", false},
		{"\u212a", "k", false}, // the Kelvin sign
		{"[", "{", false},
	} {
		if got := fold(tt.a, tt.b); got != tt.want {
			t.Errorf("Fold(%q, %q) = %v", tt.a, tt.b, got)
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
