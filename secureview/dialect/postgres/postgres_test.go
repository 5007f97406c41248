package postgres_test

import (
	"testing"

	"github.com/qedkit/qed/secureview/dialect/postgres"
)

func TestSafe(t *testing.T) {
	var d postgres.Dialect
	for _, name := range []string{
		"count", "string_agg", "array_agg", "percentile_cont", "row_number", "lag", "coalesce", "nullif", "grouping", "extract",
		"date_trunc", "date_part", "timezone", "to_char", "now", "age", "make_interval", "substring", "btrim", "position", "overlay",
		"lpad", "format", "regexp_replace", "jsonb_path_query", "jsonb_build_object", "generate_series", "unnest", "random", "md5",
	} {
		if !d.Safe(name) {
			t.Errorf("%s is not safe", name)
		}
	}
	for _, name := range []string{
		"", "nonsense", "COUNT", "full_name",
		"pg_sleep", "pg_sleep_for", "pg_advisory_lock", "pg_try_advisory_lock", "pg_notify", "pg_terminate_backend", "pg_cancel_backend",
		"pg_read_file", "pg_read_binary_file", "pg_ls_dir", "pg_stat_file", "lo_import", "lo_export", "lo_get", "lo_put", "loread",
		"current_setting", "set_config", "current_user", "session_user", "current_database", "current_schema", "current_schemas",
		"version", "inet_server_addr", "inet_client_addr", "txid_current", "pg_current_xact_id", "pg_typeof", "pg_get_viewdef",
		"has_table_privilege", "to_regclass", "to_regproc", "obj_description", "col_description", "format_type",
		"nextval", "currval", "lastval", "setval", "setseed", "query_to_xml", "table_to_xml", "schema_to_xml", "database_to_xml",
		"cursor_to_xml", "xpath", "xpath_table", "xmlparse", "ts_stat", "ts_rewrite", "ts_debug", "dblink", "dblink_exec", "crosstab",
		"repeat", "array_fill", "factorial", "pgp_sym_decrypt", "decrypt", "crypt", "gen_salt", "json_populate_record",
		"pg_logical_emit_message", "pg_reload_conf", "pg_create_restore_point", "convert_to_xml", "normalize", "eval",
	} {
		if d.Safe(name) {
			t.Errorf("%s is called safe", name)
		}
	}
}

func TestQuote(t *testing.T) {
	for name, want := range map[string]string{
		"t": `"t"`, `a"b""`: `"a""b"""""`, "": `""`, `a\`: `"a\"`, "é 日": `"é 日"`,
	} {
		if got := (postgres.Dialect{}).Quote(name); got != want {
			t.Errorf("Quote(%q) = %s, want %s", name, got, want)
		}
	}
}
