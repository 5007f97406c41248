package sqlite_test

import (
	"testing"

	"github.com/qedkit/qed/secureview/dialect/sqlite"
)

func TestQuote(t *testing.T) {
	for name, want := range map[string]string{
		"t": `"t"`, `6" pipe`: `"6"" pipe"`, "": `""`, `a\`: `"a\"`, "é 日": `"é 日"`,
	} {
		if got := (sqlite.Dialect{}).Quote(name); got != want {
			t.Errorf("Quote(%q) = %s, want %s", name, got, want)
		}
	}
}

func TestSafe(t *testing.T) {
	var d sqlite.Dialect
	for _, name := range []string{
		"count", "sum", "group_concat", "row_number", "lag", "substr", "printf", "coalesce", "iif", "date", "julianday",
		"json_extract", "json_group_array", "round", "random", "like",
	} {
		if !d.Safe(name) {
			t.Errorf("%s is not safe", name)
		}
	}
	for _, name := range []string{
		"load_extension", "readfile", "writefile", "edit", "fts3_tokenizer", "fts5_source_id", "zeroblob", "randomblob",
		"changes", "total_changes", "last_insert_rowid", "sqlite_version", "sqlite_compileoption_get", "sqlite_log",
		"sqlite_offset", "generate_series", "pragma_table_info", "match", "snippet", "rtreenode", "sleep", "COUNT", "",
	} {
		if d.Safe(name) {
			t.Errorf("%s is safe", name)
		}
	}
}
