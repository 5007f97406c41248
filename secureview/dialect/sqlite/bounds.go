package sqlite

import (
	"github.com/qedkit/qed/internal/sqlbound"
	"github.com/qedkit/qed/internal/sqlbound/shape"
)

// Bounds returns what SQLite cannot bound while a statement runs.
func (Dialect) Bounds() *sqlbound.Rules { return &bounds }

// bounds has the functions that a statement may call: those that read nothing but their
// arguments, the clock and random numbers. It does not have functions that:
//
//   - read or change the machine: load_extension, readfile, writefile, edit,
//     fts3_tokenizer
//   - read a full-text table: bm25, highlight, snippet, which package sqlast allows there
//   - read the state of the connection: changes, last_insert_rowid, sqlite_*
var bounds = sqlbound.Rules{
	Shape:        shape.Rules{Recursion: shape.LimitInside},
	DistinctJSON: true,
	Functions: sqlbound.Functions(`
		small: length octet_length unicode soundex typeof random julianday unixepoch date datetime
		small: time timediff json_array_length json_error_position json_type json_valid
		small: abs acos acosh asin asinh atan atan2 atanh ceil ceiling cos cosh degrees exp floor
		small: ln log log10 log2 mod pi pow power radians round sign sin sinh sqrt tan tanh trunc
		small: avg count sum total median percentile percentile_cont percentile_disc
		small: row_number rank dense_rank percent_rank cume_dist ntile
		small needle 1: like glob
		small needle 2: instr

		sum: lower upper nullif likelihood likely unlikely json json_each json_remove json_tree unistr
		sum needle 2 slow: trim ltrim rtrim unhex
		cut 3: substr substring
		longest: coalesce ifnull if iif max min lag lead first_value last_value nth_value

		pad 1 policy: randomblob zeroblob
		sum: concat
		sum 2: hex quote jsonb jsonb_remove
		sum 4: char
		sum 6: unistr_quote
		first 12: strftime
		sum either slow: json_patch jsonb_patch
		join: concat_ws
		format: printf format
		replace needle 2: replace

		json: json_array json_object json_quote json_set json_insert json_replace json_array_insert
		json: jsonb_array jsonb_object jsonb_set jsonb_insert jsonb_replace jsonb_array_insert
		paths: json_extract jsonb_extract
		pretty: json_pretty

		collect: group_concat string_agg json_group_array json_group_object jsonb_group_array
		collect: jsonb_group_object
	`),
	Types: sqlbound.Functions(`
		small: integer real numeric
		sum: text blob
	`),
}
