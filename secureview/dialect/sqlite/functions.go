package sqlite

import "github.com/qedkit/qed/internal/sqlread"

// safeFunctions are the functions that a statement may call: those that read nothing
// but their arguments, the clock and random numbers. It does not have functions
// that:
//
//   - read or change the machine: load_extension, readfile, writefile, edit,
//     fts3_tokenizer
//   - read the state of the connection: changes, last_insert_rowid, sqlite_*
//   - return much more than their arguments: zeroblob, randomblob
//
// printf and format are allowed because the reader limits their widths.
var safeFunctions = sqlread.Words(`
	char concat concat_ws format glob hex instr length like lower ltrim
	octet_length printf quote replace rtrim soundex substr substring trim unhex
	unicode unistr unistr_quote upper

	abs acos acosh asin asinh atan atan2 atanh ceil ceiling cos cosh degrees
	exp floor ln log log10 log2 mod pi pow power radians round sign sin
	sinh sqrt tan tanh trunc random

	coalesce if ifnull iif likelihood likely max min nullif typeof unlikely

	date datetime julianday strftime time timediff unixepoch

	json json_array json_array_length json_each json_tree json_error_position json_extract json_object json_patch
	json_pretty json_quote json_remove json_replace json_set json_insert json_type
	json_valid json_array_insert jsonb jsonb_array jsonb_array_insert jsonb_extract
	jsonb_insert jsonb_object jsonb_patch jsonb_remove jsonb_replace jsonb_set

	avg count group_concat json_group_array json_group_object jsonb_group_array
	jsonb_group_object string_agg sum total median percentile percentile_cont
	percentile_disc

	row_number rank dense_rank percent_rank cume_dist ntile lag lead first_value
	last_value nth_value
`)
