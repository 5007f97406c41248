package dialect

import (
	"github.com/qedkit/qed/internal/sqlbound"
	"github.com/qedkit/qed/internal/sqlbound/shape"
)

// Bounds returns what DuckDB cannot bound while a statement runs: what it computes
// for one batch of 2048 rows.
func (Dialect) Bounds() *sqlbound.Rules { return &bounds }

// bounds has the functions that a statement may call. It does not have functions that:
//
//   - read files, settings, catalogues, variables or the environment: glob, getenv,
//     current_setting, getvariable, current_query, version, pg_*, has_*
//   - run SQL or plan it: query, json_execute_serialized_sql, json_serialize_plan
//   - wait, write or have side effects: sleep_ms, write_log, setseed, nextval
//   - fold a list with a lambda, or call an aggregate by its name: list_reduce,
//     list_aggregate
//   - end the statement: error
//   - make the database unusable for some arguments: reservoir_quantile, equi_width_bins
//   - need some 10 KB for each group or window, which DuckDB does not count against its
//     memory limit: approx_quantile, approx_top_k
//   - are recursive in the depth of a JSON value, so that a text of 200 KB overflows the
//     stack of the process: json_structure, json_contains
var bounds = sqlbound.Rules{
	Batched: true,
	Shape:   shape.Rules{Recursion: shape.BySession},
	Functions: sqlbound.Functions(`
		small: count count_if countif sum avg bool_and bool_or median mad quantile_cont approx_count_distinct
		small: corr covar_pop covar_samp entropy skewness kurtosis kurtosis_pop product fsum favg sumkahan
		small: kahan_sum sem stddev stddev_pop stddev_samp variance var_pop var_samp regr_avgx regr_avgy
		small: regr_count regr_intercept regr_r2 regr_slope regr_sxx regr_sxy regr_syy geomean geometric_mean
		small: weighted_avg wavg grouping row_number rank dense_rank rank_dense percent_rank cume_dist ntile
		longest: min max any_value arbitrary first last bit_and bit_or bit_xor mode quantile quantile_disc
		longest: arg_max arg_min argmax argmin arg_max_null arg_min_null
		longest: max_by min_by lag lead first_value last_value nth_value fill coalesce greatest least try
		longest: switch
		sum: nullif
		collect: array_agg list string_agg group_concat listagg histogram

		small: typeof abs acos acosh asin asinh atan atan2 atanh bit_count cbrt ceil ceiling cos cosh cot
		small: degrees divide even exp factorial fdiv floor fmod gamma gcd greatest_common_divisor isfinite
		small: isinf isnan lcm least_common_multiple lgamma ln log log10 log2 mod multiply nextafter pi pow
		small: power radians random round round_even roundbankers sign signbit sin sinh sqrt subtract add tan
		small: tanh trunc xor

		small: age century current_date current_localtime current_localtimestamp date_add date_diff date_part
		small: date_sub date_trunc datediff datepart datesub datetrunc day dayname dayofmonth dayofweek
		small: dayofyear days_in_month decade epoch epoch_ms epoch_ns epoch_us era get_current_time
		small: get_current_timestamp hour isodow isoyear julian last_day make_date make_time make_timestamp
		small: make_timestamp_ms make_timestamp_ns make_timestamptz microsecond millennium millisecond minute
		small: month monthname nanosecond now quarter second strptime try_strptime time_bucket timezone
		small: timezone_hour timezone_minute to_centuries to_days to_decades to_hours to_microseconds
		small: to_millennia to_milliseconds to_minutes to_months to_quarters to_seconds to_timestamp to_weeks
		small: to_years today transaction_timestamp week weekday weekofyear year yearweek ago
		sum 24: strftime
		fields: format printf

		small: ascii bit_length char_length character_length chr format_bytes hash length len md5
		small: octet_length ord sha1 sha256 strlen unicode uuid gen_random_uuid
		small needle 2: prefix suffix contains ends_with instr position regexp_full_match regexp_matches
		small needle 2: starts_with strpos
		small either slow: damerau_levenshtein editdist3 jaccard jaro_similarity
		small either slow: jaro_winkler_similarity levenshtein
		small either: hamming mismatches
		sum: lcase lower nfc_normalize reverse strip_accents ucase upper from_base64 from_hex unhex
		sum: unbin url_decode
		sum needle 2 slow: ltrim rtrim trim
		sum needle 2: split_part regexp_extract
		cut 2: left right
		cut 3: substr substring
		sum: concat
		sum 2: regexp_escape
		sum 8: base64 to_base64 hex to_hex bin to_binary url_encode bitstring set_bit
		sum 8 needle 2: regexp_extract_all regexp_split_to_array split str_split str_split_regex
		sum 8 needle 2: string_split string_split_regex string_to_array
		small: get_bit
		pad 4: bar
		join: concat_ws
		pad 2: lpad rpad
		repeat 2: repeat
		replace needle 2: replace
		regexp needle 2: regexp_replace
		sum 4 needle 2 slow: translate

		small: array_has array_contains array_indexof array_length array_position list_contains list_has
		small: list_indexof list_position list_count list_unique array_unique list_avg list_sum
		small: list_bool_and list_bool_or list_median list_product list_stddev_pop list_stddev_samp
		small: list_var_pop list_var_samp list_entropy list_mad list_skewness list_kurtosis
		small: list_cosine_similarity list_cosine_distance list_distance list_dot_product
		small: list_inner_product cardinality
		small either: array_has_all array_has_any list_has_all list_has_any
		sum: array_distinct list_distinct array_extract list_extract list_element element_at
		sum: array_reverse list_reverse array_reverse_sort list_reverse_sort array_sort list_sort
		sum: array_slice list_slice array_where list_where array_select list_select list_any_value
		sum: list_first list_last list_max list_min list_mode list_filter array_filter filter flatten
		sum: unnest
		longest: range generate_series
		sum: list_transform list_apply array_transform array_apply apply
		sum: array_append list_append array_cat array_concat list_cat list_concat array_prepend
		sum: list_prepend
		sum either: array_intersect list_intersect
		sum 2: array_zip list_zip list_grade_up
		product: array_to_string

		sum: struct_extract struct_extract_at
		small: struct_contains struct_has
		sum: struct_concat struct_insert struct_keys struct_pack struct_update struct_values
		sum: map map_concat map_entries map_from_entries
		sum: map_extract map_extract_value map_keys map_values
		small: map_contains

		small: json_array_length json_exists json_type json_valid
		sum: json json_keys
		paths: json_extract json_extract_path json_extract_path_text json_extract_string json_value
		json: json_array json_object json_quote row_to_json to_json array_to_json
	`),
	Types: sqlbound.Functions(`
		small: boolean tinyint smallint integer bigint hugeint utinyint usmallint uinteger ubigint
		small: uhugeint float double uuid date time timetz interval timestamp timestamp_s
		small: timestamp_ms timestamp_ns timestamptz decimal
		sum 2: varchar json
		sum 8: bit blob []
	`),
}
