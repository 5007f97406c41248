package sqlite

// safeFunctions are SQLite's functions that compute from their arguments alone, or
// from the clock or chance. Missing on purpose: functions with an effect or a view
// on the machine (load_extension, readfile, writefile, edit, fts3_tokenizer) or on
// the connection (changes, last_insert_rowid, sqlite_*), and those that make much
// out of a number (zeroblob, randomblob). Formats are checked by the reader.
var safeFunctions = set(
	// Text.
	"char", "concat", "concat_ws", "format", "glob", "hex", "instr", "length", "like", "lower", "ltrim",
	"octet_length", "printf", "quote", "replace", "rtrim", "soundex", "substr", "substring", "trim", "unhex",
	"unicode", "unistr", "unistr_quote", "upper",

	// Numbers.
	"abs", "acos", "acosh", "asin", "asinh", "atan", "atan2", "atanh", "ceil", "ceiling", "cos", "cosh", "degrees",
	"exp", "floor", "ln", "log", "log10", "log2", "mod", "pi", "pow", "power", "radians", "round", "sign", "sin",
	"sinh", "sqrt", "tan", "tanh", "trunc", "random",

	// Choice and type.
	"coalesce", "if", "ifnull", "iif", "likelihood", "likely", "max", "min", "nullif", "typeof", "unlikely",

	// Date and time.
	"date", "datetime", "julianday", "strftime", "time", "timediff", "unixepoch",

	// JSON.
	"json", "json_array", "json_array_length", "json_error_position", "json_extract", "json_object", "json_patch",
	"json_pretty", "json_quote", "json_remove", "json_replace", "json_set", "json_insert", "json_type",
	"json_valid", "json_array_insert", "jsonb", "jsonb_array", "jsonb_array_insert", "jsonb_extract",
	"jsonb_insert", "jsonb_object", "jsonb_patch", "jsonb_remove", "jsonb_replace", "jsonb_set",

	// Aggregates.
	"avg", "count", "group_concat", "json_group_array", "json_group_object", "jsonb_group_array",
	"jsonb_group_object", "string_agg", "sum", "total", "median", "percentile", "percentile_cont",
	"percentile_disc",

	// Windows.
	"row_number", "rank", "dense_rank", "percent_rank", "cume_dist", "ntile", "lag", "lead", "first_value",
	"last_value", "nth_value",
)

func set(names ...string) map[string]struct{} {
	m := make(map[string]struct{}, len(names))
	for _, name := range names {
		m[name] = struct{}{}
	}
	return m
}
