package postgres

import "github.com/qedkit/qed/internal/sqlread"

// safeFunctions are the functions that a statement may call. It does not have
// functions that:
//
//   - wait or lock: pg_sleep, pg_advisory_lock
//   - read files, settings, catalogues or the state of other statements: pg_*,
//     current_setting, to_regclass, has_table_privilege, txid_current, version,
//     inet_server_addr
//   - run SQL: query_to_xml, ts_stat, ts_rewrite, dblink
//   - have side effects: set_config, setseed, nextval, lo_*
//   - return much more than their arguments: repeat, array_fill, factorial
//
// lpad, rpad and format are allowed because the reader limits their lengths.
// Regular expressions are allowed: they can take long, but the server's time limit
// applies to them.
var safeFunctions = sqlread.Words(`
	count sum avg min max any_value array_agg string_agg json_agg jsonb_agg json_object_agg
	jsonb_object_agg bool_and bool_or every bit_and bit_or bit_xor stddev stddev_pop stddev_samp
	variance var_pop var_samp corr covar_pop covar_samp regr_avgx regr_avgy regr_count
	regr_intercept regr_r2 regr_slope regr_sxx regr_sxy regr_syy percentile_cont percentile_disc
	mode grouping range_agg range_intersect_agg

	row_number rank dense_rank percent_rank cume_dist ntile lag lead first_value last_value
	nth_value

	coalesce nullif greatest least num_nulls num_nonnulls

	abs acos acosd acosh asin asind asinh atan atan2 atan2d atand atanh bit_count cbrt ceil
	ceiling cos cosd cosh cot cotd degrees div erf erfc exp floor gcd lcm ln log log10 min_scale
	mod pi pow power radians random round scale sign sin sind sinh sqrt tan tand tanh trim_scale
	trunc width_bucket int2 int4 int8 float4 float8

	age clock_timestamp date date_add date_bin date_part date_subtract date_trunc extract
	isfinite justify_days justify_hours justify_interval make_date make_interval make_time
	make_timestamp make_timestamptz now overlaps statement_timestamp timeofday timezone to_char
	to_date to_number to_timestamp transaction_timestamp

	ascii bit_length btrim casefold char_length character_length chr concat concat_ws convert
	convert_from convert_to decode encode format get_bit get_byte initcap left length lower lpad
	ltrim md5 octet_length overlay parse_ident position quote_ident quote_literal quote_nullable
	regexp_count regexp_instr regexp_like regexp_match regexp_matches regexp_replace
	regexp_split_to_array regexp_split_to_table regexp_substr replace reverse right rpad rtrim
	sha224 sha256 sha384 sha512 split_part starts_with string_to_array string_to_table strpos
	substr substring text to_ascii to_bin to_hex to_oct translate unistr upper

	array_append array_cat array_dims array_length array_lower array_ndims array_position
	array_positions array_prepend array_remove array_replace array_reverse array_sort
	array_to_json array_to_string array_upper cardinality generate_series generate_subscripts
	trim_array unnest

	json_array_element json_array_elements json_array_elements_text json_array_length
	json_build_array json_build_object json_each json_each_text json_extract_path
	json_extract_path_text json_object json_object_keys json_strip_nulls json_to_record
	json_to_recordset json_typeof jsonb_array_elements jsonb_array_elements_text
	jsonb_array_length jsonb_build_array jsonb_build_object jsonb_concat jsonb_contained
	jsonb_contains jsonb_delete jsonb_delete_path jsonb_each jsonb_each_text jsonb_exists
	jsonb_exists_all jsonb_exists_any jsonb_extract_path jsonb_extract_path_text jsonb_insert
	jsonb_object jsonb_object_keys jsonb_path_exists jsonb_path_exists_tz jsonb_path_match
	jsonb_path_match_tz jsonb_path_query jsonb_path_query_array jsonb_path_query_array_tz
	jsonb_path_query_first jsonb_path_query_first_tz jsonb_path_query_tz jsonb_pretty jsonb_set
	jsonb_set_lax jsonb_strip_nulls jsonb_to_record jsonb_to_recordset jsonb_typeof row_to_json
	to_json to_jsonb

	int4range int8range numrange tsrange tstzrange daterange isempty lower_inc lower_inf
	upper_inc upper_inf range_merge multirange

	abbrev broadcast family host hostmask inet_merge inet_same_family masklen netmask network
	set_masklen

	array_to_tsvector numnode phraseto_tsquery plainto_tsquery querytree setweight strip to_tsquery to_tsvector
	ts_delete ts_filter ts_headline ts_rank ts_rank_cd tsquery_not tsquery_phrase tsvector_to_array websearch_to_tsquery

	area center diameter gen_random_uuid height npoints radius width
`)

// tableFunctions are the functions with rows and columns of their own that are allowed
// in FROM, with the names of their columns. nil means one column with the name of the
// table's alias, as a function that returns a single value has in FROM. The columns of
// unnest depend on the type of its argument: see unnested.
var tableFunctions = map[string][]string{
	"generate_series": nil, "generate_subscripts": nil, "unnest": nil,
	"regexp_split_to_table": nil, "regexp_matches": nil,
	"string_to_table": nil, "json_object_keys": nil, "jsonb_object_keys": nil,
	"jsonb_path_query": nil, "jsonb_path_query_tz": nil,
	"json_array_elements": {"value"}, "json_array_elements_text": {"value"},
	"jsonb_array_elements": {"value"}, "jsonb_array_elements_text": {"value"},
	"json_each": {"key", "value"}, "json_each_text": {"key", "value"},
	"jsonb_each": {"key", "value"}, "jsonb_each_text": {"key", "value"},
	"json_to_record": nil, "json_to_recordset": nil, "jsonb_to_record": nil, "jsonb_to_recordset": nil,
}

// reserved are the keywords that cannot be names of functions without quotes.
var reserved = sqlread.Words(`
	all analyse analyze and any array as asc asymmetric both case cast check collate column
	constraint create current_catalog current_date current_role current_time current_timestamp
	current_user default deferrable desc distinct do else end except false fetch for foreign from
	grant group having in initially intersect into lateral leading limit localtime localtimestamp
	not null offset on only or order placing primary references returning select session_user
	some symmetric system_user table then to trailing true union unique user using variadic when
	where window with between bigint bit boolean char character coalesce dec decimal exists
	extract float greatest grouping inout int integer interval json json_array json_arrayagg
	json_exists json_object json_objectagg json_query json_scalar json_serialize json_table
	json_value least merge_action national nchar none normalize nullif numeric out overlay
	position precision real row setof smallint substring time timestamp treat trim values varchar
	xmlattributes xmlconcat xmlelement xmlexists xmlforest xmlnamespaces xmlparse xmlpi xmlroot
	xmlserialize xmltable
`)

// callable are the reserved words that the grammar also reads as plain calls.
var callable = sqlread.Words("substring json_object")
