package dialect

import "github.com/qedkit/qed/internal/sqlread"

// safeFunctions are the functions that a statement may call. It does not have
// functions that:
//
//   - read files, settings, catalogues, variables or the environment: glob, getenv,
//     current_setting, getvariable, current_query, version, pg_*, has_*
//   - run SQL or plan it: query, json_execute_serialized_sql, json_serialize_plan
//   - wait, write or have side effects: sleep_ms, write_log, setseed, nextval
//   - fold a list with a lambda, or call an aggregate by its name: list_reduce,
//     list_aggregate
//   - end the statement: error
//   - make the database unusable for some arguments: reservoir_quantile, equi_width_bins
//   - are recursive in the depth of a JSON value, so that a text of 200 KB overflows the
//     stack of the process: json_structure, json_contains
//
// repeat, lpad, rpad and range are allowed because package sqlbound limits what they
// return.
var safeFunctions = sqlread.Words(`
	count sum avg min max any_value arbitrary first last array_agg list string_agg group_concat listagg
	count_if countif bool_and bool_or bit_and bit_or bit_xor median mode mad quantile quantile_cont
	quantile_disc approx_quantile approx_count_distinct approx_top_k histogram
	arg_max arg_min argmax argmin arg_max_null arg_min_null max_by min_by corr covar_pop covar_samp
	entropy skewness kurtosis kurtosis_pop product fsum favg sumkahan kahan_sum sem stddev stddev_pop
	stddev_samp variance var_pop var_samp regr_avgx regr_avgy regr_count regr_intercept regr_r2
	regr_slope regr_sxx regr_sxy regr_syy geomean geometric_mean weighted_avg wavg grouping

	row_number rank dense_rank rank_dense percent_rank cume_dist ntile lag lead first_value last_value
	nth_value fill

	coalesce nullif greatest least try switch typeof

	abs acos acosh asin asinh atan atan2 atanh bit_count cbrt ceil ceiling cos cosh cot degrees divide
	even exp factorial fdiv floor fmod gamma gcd greatest_common_divisor isfinite isinf isnan lcm
	least_common_multiple lgamma ln log log10 log2 mod multiply nextafter pi pow power radians random
	round round_even roundbankers sign signbit sin sinh sqrt subtract add tan tanh trunc xor

	age century current_date current_localtime current_localtimestamp date_add date_diff date_part
	date_sub date_trunc datediff datepart datesub datetrunc day dayname dayofmonth dayofweek dayofyear
	days_in_month decade epoch epoch_ms epoch_ns epoch_us era get_current_time get_current_timestamp
	hour isodow isoyear julian last_day make_date make_time make_timestamp make_timestamp_ms
	make_timestamp_ns make_timestamptz microsecond millennium millisecond minute month monthname
	nanosecond now quarter second strftime strptime try_strptime time_bucket timezone timezone_hour
	timezone_minute to_centuries to_days to_decades to_hours to_microseconds to_millennia
	to_milliseconds to_minutes to_months to_quarters to_seconds to_timestamp to_weeks to_years today
	transaction_timestamp week weekday weekofyear year yearweek ago

	ascii bar base64 bin bit_length char_length character_length chr concat concat_ws contains
	damerau_levenshtein editdist3 ends_with format format_bytes from_base64 from_hex hamming hash hex instr
	jaccard jaro_similarity jaro_winkler_similarity lcase left length len levenshtein lower lpad ltrim md5
	mismatches nfc_normalize octet_length ord position prefix printf regexp_escape regexp_extract
	regexp_extract_all regexp_full_match regexp_matches regexp_replace regexp_split_to_array repeat
	replace reverse right rpad rtrim sha1 sha256 split split_part starts_with str_split
	str_split_regex string_split string_split_regex string_to_array strip_accents strlen strpos substr
	substring suffix to_base64 to_binary to_hex translate trim ucase unbin unhex unicode upper
	url_decode url_encode uuid gen_random_uuid

	array_append array_cat array_concat array_contains array_distinct array_extract
	array_filter array_has array_has_all array_has_any array_indexof array_intersect array_length
	array_position array_prepend array_reverse array_reverse_sort array_slice array_sort array_to_string
	array_transform array_apply array_unique array_where array_zip array_select apply filter flatten
	generate_series list_any_value list_append list_apply list_avg list_bool_and list_bool_or
	list_cat list_concat list_contains list_count list_distinct list_element list_extract list_filter
	list_first list_grade_up list_has list_has_all list_has_any list_indexof list_intersect list_last
	list_max list_median list_min list_mode list_position list_prepend list_product list_reverse
	list_reverse_sort list_select list_slice list_sort list_stddev_pop list_stddev_samp list_sum
	list_transform list_unique list_var_pop list_var_samp list_where list_zip list_entropy list_mad
	list_skewness list_kurtosis list_cosine_similarity list_cosine_distance list_distance
	list_dot_product list_inner_product range unnest

	struct_concat struct_contains struct_extract struct_extract_at struct_has struct_insert struct_keys
	struct_pack struct_update struct_values

	cardinality element_at map map_concat map_contains map_entries map_extract map_extract_value
	map_from_entries map_keys map_values

	json json_array json_array_length json_exists json_extract json_extract_path
	json_extract_path_text json_extract_string json_keys json_object json_quote json_type json_valid
	json_value row_to_json to_json array_to_json

	bitstring get_bit set_bit
`)
